/** Commands of the editor that send requests: run, save, export, publish. */

import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { client, unwrap } from "../api/client";
import { eventTriggerOf, hasRequiredInputs } from "../model/run/inputs";
import { isRunOver } from "../model/run/runState";
import { completeWorkflow } from "../model/workflow/completeWorkflow";
import { setTestEvent, testEventOf } from "../model/workflow/studioData";
import type { JsonObject, WorkflowNode } from "../model/workflow/workflow";
import { cancelRun, startRun } from "../queries/runs";
import { save } from "../queries/save";
import { WORKFLOWS } from "../queries/workflows";
import type { Command } from "../state/commands";
import type { Editor } from "../state/editor";
import { initialInputs, needsEvent, rememberInputs } from "../state/lastInputs";
import { notify, notifyError } from "../state/notices";
import { panelStore, setPanels } from "../state/panels";
import { navigate } from "../state/route";
import { dismissWhenSolved } from "../state/workflowNotice";
import { useCommands } from "./useCommands";

export type EditorDialog = "inputs" | "export" | "publish" | "extract" | null;

export function useEditorCommands(editor: Editor | null): {
  openDialog: EditorDialog;
  setOpenDialog(dialog: EditorDialog): void;
} {
  const [openDialog, setOpenDialog] = useState<EditorDialog>(null);
  const queries = useQueryClient();
  const commands = useMemo<readonly Command[]>(() => {
    if (!editor) return [];
    const isReadOnly = () => editor.document.isReadOnly;
    const isRunning = () => !isRunOver(editor.run.store.getState().run);
    const isBusy = () => isReadOnly() || isRunning();
    const onSaved = () => void queries.invalidateQueries({ queryKey: WORKFLOWS });
    return [
      {
        id: "run",
        title: "Run",
        keys: "mod+enter",
        inFields: true,
        isDisabled: isBusy,
        run: () => runOrAskForInputs(editor, () => setOpenDialog("inputs")),
      },
      {
        id: "inputs",
        title: "Run with inputs…",
        keys: "mod+shift+enter",
        inFields: true,
        isDisabled: isBusy,
        run: () => setOpenDialog("inputs"),
      },
      {
        id: "cancel",
        title: "Cancel the run",
        isDisabled: () => !isRunning(),
        run: () => void cancel(editor),
      },
      {
        id: "save",
        title: "Save",
        keys: "mod+s",
        inFields: true,
        isDisabled: isReadOnly,
        run: () => void save(editor, { onSaved }),
      },
      { id: "export", title: "Export…", keys: "mod+e", inFields: true, run: () => setOpenDialog("export") },
      {
        id: "extract",
        title: "Extract to a sub-workflow…",
        keys: "x",
        at: "canvas",
        isDisabled: () => isReadOnly() || selectedNodes(editor).length === 0,
        run: () => setOpenDialog("extract"),
      },
      {
        id: "publish",
        title: "Publish as a tool…",
        keys: "u",
        isDisabled: isReadOnly,
        run: () => setOpenDialog("publish"),
      },
      {
        id: "versions",
        title: "Versions…",
        keys: "v",
        isDisabled: () => isReadOnly() || editor.document.storedAs === null,
        run: () => navigate("versions", editor.document.storedAs!),
      },
      {
        id: "servers",
        title: "MCP servers and tools…",
        keys: "m",
        isDisabled: isReadOnly,
        run: () => setPanels({ overlay: "servers" }),
      },
      {
        id: "build",
        title: "Build with AI",
        keys: "b",
        isDisabled: isReadOnly,
        run: () => setPanels({ side: panelStore.getState().side === "builder" ? "inspector" : "builder" }),
      },
    ];
  }, [editor, queries]);
  useCommands(editor, commands);
  return { openDialog, setOpenDialog };
}

export function selectedNodes({ document: { workflow, selection } }: Editor): WorkflowNode[] {
  return workflow.nodes.filter(({ id }) => selection.has(id));
}

export function runOrAskForInputs(editor: Editor, askForInputs: () => void): void {
  const { workflow } = editor.document;
  const inputs = initialInputs(editor.document);
  if (!needsEvent(workflow) && hasRequiredInputs(workflow, inputs)) void startAndShowRun(editor, inputs);
  else askForInputs();
}

export async function startAndShowRun(editor: Editor, inputs: JsonObject): Promise<void> {
  editor.formAttention.add(...editor.document.workflow.nodes.map(({ id }) => id));
  rememberInputs(editor.document, inputs);
  keepEnteredEvent(editor, inputs);
  const { workflow } = editor.document;
  setPanels({ hasRunPanel: true });
  try {
    await startRun(editor, workflow, inputs);
  } catch (error) {
    const show = { title: "Show", run: () => setPanels({ side: "problems" }) };
    dismissWhenSolved(editor, notifyError(error, "Not run", show));
  }
}

/** An event that was entered for a trigger is kept like one that was received. */
function keepEnteredEvent(editor: Editor, inputs: JsonObject): void {
  const { workflow } = editor.document;
  const trigger = eventTriggerOf(workflow);
  if (!trigger || JSON.stringify(testEventOf(workflow)?.inputs) === JSON.stringify(inputs)) return;
  const event = { node: trigger.id, inputs, receivedAt: null };
  editor.document.edit((now) => setTestEvent(now, event));
}

async function cancel(editor: Editor): Promise<void> {
  const { id } = editor.run;
  try {
    if (id) await cancelRun(id);
  } catch (error) {
    notifyError(error, "Not cancelled");
  }
}

/** Applies every fix that the problems offer, as one step that can be undone. */
export async function applyFixes(editor: Editor): Promise<void> {
  try {
    const document = editor.document.workflow as unknown as Record<string, unknown>;
    const fixed = await unwrap(client.POST("/api/v1/edit/fix", { body: { document } as never }));
    editor.document.replace(completeWorkflow(fixed.document));
    notify(`Fixed ${fixed.mended.length} of ${fixed.mended.length + fixed.problems.length}`, {
      tone: "good",
    });
  } catch (error) {
    notifyError(error, "Could not fix the problems");
  }
}
