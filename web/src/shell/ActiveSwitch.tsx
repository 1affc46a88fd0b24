/** Activates and deactivates the triggers of the open workflow. */

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { safeText } from "../model/text/untrusted";
import type { Workflow } from "../model/workflow/workflow";
import { useAction } from "../queries/action";
import { save } from "../queries/save";
import { disableTriggers, enableTriggers, TRIGGERS, useTriggers } from "../queries/triggers";
import { WORKFLOWS } from "../queries/workflows";
import { isDirty } from "../state/document";
import { useDocument, useEditor } from "../state/editorContext";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import "./switch.css";

const ACTIVE_STATES: ReadonlySet<string> = new Set(["on", "paused"]);

export function ActiveSwitch({ workflow }: { workflow: Workflow }) {
  const hasTrigger = workflow.nodes.some(
    ({ type, data }) => type === "TRIGGER" && data["subtype"] !== "MANUAL",
  );
  const storedAs = useDocument((state) => state.storedAs);
  const { data: triggers } = useTriggers(hasTrigger);
  const mine = (triggers ?? []).filter(({ workflow: name, slug }) => name === storedAs || slug === storedAs);
  const isActive = mine.some(({ state }) => ACTIVE_STATES.has(state));
  if (!hasTrigger && !isActive) return null;
  const isBehind = mine.some(({ state, isCurrent }) => ACTIVE_STATES.has(state) && !isCurrent);
  return <Switch isActive={isActive} isBehind={isBehind} isPaused={mine.some(isPaused)} />;
}

const isPaused = ({ state }: { state: string }) => state === "paused";

interface SwitchProps {
  isActive: boolean;
  isBehind: boolean;
  isPaused: boolean;
}

function Switch({ isActive, isBehind, isPaused: hasPaused }: SwitchProps) {
  const editor = useEditor();
  const queries = useQueryClient();
  const hasEdits = useDocument(isDirty);
  const [isBusy, runAction] = useAction(TRIGGERS);
  const [isAsking, setAsking] = useState(false);
  const name = useDocument((state) => state.storedAs ?? state.history.present.name);
  const saveAndActivate = () =>
    runAction("Not activated", async () => {
      const onSaved = () => void queries.invalidateQueries({ queryKey: WORKFLOWS });
      if (editor.document.isDirty && !(await save(editor, { onSaved }))) return undefined;
      return enableTriggers(editor.document.storedAs!);
    });
  const activate = () => (hasEdits ? setAsking(true) : void saveAndActivate());
  const deactivate = () => runAction("Not deactivated", () => disableTriggers(editor.document.storedAs!));
  const needsUpdate = isActive && (isBehind || hasEdits);
  return (
    <>
      <button
        type="button"
        role="switch"
        className="switch"
        aria-checked={isActive}
        // Not disabled, which would take the focus away.
        aria-disabled={isBusy}
        title={
          isActive
            ? "Its triggers start runs. Click to deactivate"
            : hasEdits
              ? "Let its triggers start runs, after its changes are saved"
              : "Let its triggers start runs"
        }
        onClick={() => (isBusy ? undefined : isActive ? void deactivate() : activate())}
      >
        <span className="switch__track" />
        <span>{hasPaused ? "Active, paused" : "Active"}</span>
      </button>
      {needsUpdate && (
        <Button
          look="quiet"
          disabled={isBusy}
          title="Triggers still run the version that was activated"
          onClick={activate}
        >
          Activate changes
        </Button>
      )}
      {isAsking && (
        <Dialog
          title={`Save and activate ${safeText(name).text}?`}
          onClose={() => setAsking(false)}
          foot={
            <>
              <Button onClick={() => setAsking(false)}>Cancel</Button>
              <Button look="primary" onClick={() => (setAsking(false), void saveAndActivate())}>
                Save and activate
              </Button>
            </>
          }
        >
          <p>
            Triggers run the saved version, and this workflow has unsaved changes. They are saved, then its
            triggers start runs.
          </p>
        </Dialog>
      )}
    </>
  );
}
