/** What the editor does with the service: run, save, export; as commands with keys. */

import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { client, unwrap } from "../api/client";
import type { Command } from "../state/commands";
import { currentWorkflow, documentStore, replaceWorkflow } from "../state/document";
import { hasRequiredInputs } from "../model/run/inputs";
import { initialInputs, rememberInputs } from "../state/lastInputs";
import { notify, notifyError } from "../state/notices";
import { cancelRun, isRunOver, runStore, startRun } from "../state/run";
import { setPanels } from "../state/panels";
import type { JsonObject, Workflow } from "../model/workflow/workflow";
import { save } from "../queries/save";
import { WORKFLOWS } from "../queries/workflows";
import { useCommands } from "./useCommands";

export type EditorDialog = "inputs" | "export" | "publish" | null;

export function useEditorCommands(): { openDialog: EditorDialog; setOpenDialog(what: EditorDialog): void } {
  const [openDialog, setOpenDialog] = useState<EditorDialog>(null);
  const queries = useQueryClient();
  const commands = useMemo<Command[]>(() => {
    const isReadOnly = () => documentStore.getState().isReadOnly;
    const isBusy = () => isReadOnly() || !isRunOver(runStore.getState().run);
    const saved = () => void queries.invalidateQueries({ queryKey: WORKFLOWS });
    return [
      {
        id: "run",
        title: "Run",
        keys: "mod+enter",
        inFields: true,
        isDisabled: isBusy,
        run: () => runOrAskForInputs(() => setOpenDialog("inputs")),
      },
      {
        id: "inputs",
        title: "Run with inputs…",
        keys: "mod+shift+enter",
        isDisabled: isBusy,
        run: () => setOpenDialog("inputs"),
      },
      {
        id: "cancel",
        title: "Cancel the run",
        isDisabled: () => isRunOver(runStore.getState().run),
        run: () => void cancel(),
      },
      {
        id: "save",
        title: "Save",
        keys: "mod+s",
        inFields: true,
        isDisabled: isReadOnly,
        run: () => void save(saved),
      },
      { id: "export", title: "Export…", keys: "mod+e", run: () => setOpenDialog("export") },
      {
        id: "publish",
        title: "Publish as a tool…",
        keys: "u",
        isDisabled: isReadOnly,
        run: () => setOpenDialog("publish"),
      },
      {
        id: "servers",
        title: "MCP servers and tools…",
        keys: "m",
        isDisabled: isReadOnly,
        run: () => setPanels({ overlay: "servers" }),
      },
    ];
  }, [queries]);
  useCommands(commands);
  return { openDialog, setOpenDialog };
}

export function runOrAskForInputs(askFor: () => void): void {
  const workflow = currentWorkflow();
  if (!workflow) return;
  const inputs = initialInputs(workflow);
  if (hasRequiredInputs(workflow, inputs)) void startAndShowRun(workflow, inputs);
  else askFor();
}

export async function startAndShowRun(workflow: Workflow, inputs: JsonObject): Promise<void> {
  rememberInputs(workflow, inputs);
  setPanels({ hasRunPanel: true });
  try {
    await startRun(workflow, inputs);
  } catch (error) {
    notifyError(error, "Not run");
  }
}

async function cancel(): Promise<void> {
  const { run: now } = runStore.getState();
  try {
    if (now) await cancelRun(now.id);
  } catch (error) {
    notifyError(error, "Not cancelled");
  }
}

/** Mends everything that can be mended, as one step that can be undone. */
export async function applyFixes(workflow: Workflow): Promise<void> {
  try {
    const document = workflow as unknown as Record<string, unknown>;
    const fixed = await unwrap(client.POST("/api/v1/edit/fix", { body: { document } as never }));
    replaceWorkflow(fixed.document as unknown as Workflow);
    notify(`Mended ${fixed.mended.length} of ${fixed.mended.length + fixed.problems.length}`, {
      tone: "good",
    });
  } catch (error) {
    notifyError(error, "Not mended");
  }
}
