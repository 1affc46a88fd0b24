/** What the editor does with the service: run, save, export; as commands with keys. */

import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { client, data } from "../api/client";
import type { Command } from "../state/commands";
import { currentWorkflow, documentStore, replaceWorkflow } from "../state/document";
import { isReady } from "../model/run/inputs";
import { initialInputs, rememberInputs } from "../state/lastInputs";
import { notify, notifyError } from "../state/notices";
import { cancelRun, isOver, runStore, startRun } from "../state/run";
import { show } from "../state/panels";
import type { JsonObject, Workflow } from "../model/workflow/workflow";
import { save } from "../queries/save";
import { WORKFLOWS } from "../queries/workflows";
import { useCommands } from "./useCommands";

export type Asked = "inputs" | "export" | "publish" | null;

export function useEditorCommands(): { asked: Asked; ask(what: Asked): void } {
  const [asked, ask] = useState<Asked>(null);
  const queries = useQueryClient();
  const commands = useMemo<Command[]>(() => {
    const isReadOnly = () => documentStore.getState().isReadOnly;
    const isBusy = () => isReadOnly() || !isOver(runStore.getState().run);
    const saved = () => void queries.invalidateQueries({ queryKey: WORKFLOWS });
    return [
      { id: "run", title: "Run", keys: "mod+enter", inFields: true, isOff: isBusy, run: () => runOrAsk(() => ask("inputs")) },
      { id: "inputs", title: "Run with inputs…", keys: "mod+shift+enter", isOff: isBusy, run: () => ask("inputs") },
      { id: "cancel", title: "Cancel the run", isOff: () => isOver(runStore.getState().run), run: () => void cancel() },
      { id: "save", title: "Save", keys: "mod+s", inFields: true, isOff: isReadOnly, run: () => void save(saved) },
      { id: "export", title: "Export…", keys: "mod+e", run: () => ask("export") },
      { id: "publish", title: "Publish as a tool…", keys: "u", isOff: isReadOnly, run: () => ask("publish") },
      { id: "servers", title: "MCP servers and tools…", keys: "m", isOff: isReadOnly, run: () => show({ overlay: "servers" }) },
    ];
  }, [queries]);
  useCommands(commands);
  return { asked, ask };
}

export function runOrAsk(askFor: () => void): void {
  const workflow = currentWorkflow();
  if (!workflow) return;
  const inputs = initialInputs(workflow);
  if (isReady(workflow, inputs)) void run(workflow, inputs);
  else askFor();
}

export async function run(workflow: Workflow, inputs: JsonObject): Promise<void> {
  rememberInputs(workflow, inputs);
  show({ hasRunPanel: true });
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
export async function mend(workflow: Workflow): Promise<void> {
  try {
    const document = workflow as unknown as Record<string, unknown>;
    const made = await data(client.POST("/api/v1/edit/fix", { body: { document } as never }));
    replaceWorkflow(made.document as unknown as Workflow);
    notify(`Mended ${made.mended.length} of ${made.mended.length + made.problems.length}`, { tone: "good" });
  } catch (error) {
    notifyError(error, "Not mended");
  }
}
