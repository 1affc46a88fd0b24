/** A trigger while it is edited: its address and next times, and listening for one real event. */

import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { client, unwrap } from "../api/client";
import { setTestEvent } from "../model/workflow/studioData";
import type { JsonObject, WorkflowNode } from "../model/workflow/workflow";
import { nodeTitle } from "../model/workflow/workflow";
import type { Editor } from "../state/editor";
import { useEditor } from "../state/editorContext";
import { listeningStore } from "../state/listening";
import { notify, notifyError } from "../state/notices";

export type EditedTrigger = Schemas["TriggerLine"];

/** The address or the next times of a trigger with its current settings. */
export function useEditedTrigger(node: WorkflowNode) {
  const editor = useEditor();
  return useQuery({
    queryKey: ["edited-trigger", node.id, JSON.stringify(node.data), editor.document.workflow.name],
    queryFn: ({ signal }) =>
      unwrap(
        client.POST("/api/v1/edit/trigger", {
          body: { document: editor.document.workflow, node: node.id } as never,
          signal,
        }),
      ),
    placeholderData: (before) => before,
    retry: false,
  });
}

let stopCurrent: (() => void) | null = null;

export function stopListening(): void {
  stopCurrent?.();
  stopCurrent = null;
  listeningStore.setState({ editor: null, node: null });
}

/** Waits for one real event, keeps it in the workflow and shows it as the input of test runs. */
export async function listenForEvent(editor: Editor, node: WorkflowNode): Promise<void> {
  stopListening();
  const stop = new AbortController();
  stopCurrent = () => stop.abort();
  listeningStore.setState({ editor: editor.id, node: node.id });
  try {
    const event = await receive(editor, node.id, stop.signal);
    if (!event || stop.signal.aborted) return;
    keepEvent(editor, node.id, event);
    notify(`Test event received by ${nodeTitle(node)}`, { tone: "good" });
  } catch (error) {
    if (!stop.signal.aborted) notifyError(error, "Not listening");
  } finally {
    if (!stop.signal.aborted) stopListening();
  }
}

async function receive(editor: Editor, node: string, signal: AbortSignal): Promise<JsonObject | null> {
  let listener: string | null = null;
  while (!signal.aborted) {
    const body = { document: editor.document.workflow, node, ...(listener ? { listener } : {}) };
    const answer: Schemas["ListenResponse"] = await unwrap(
      client.POST("/api/v1/triggers/listen", { body: body as never, signal }),
    );
    if (answer.event) return answer.event as JsonObject;
    listener = answer.listener;
  }
  return null;
}

/** The run on the canvas is no longer what the next nodes read. */
export function keepEvent(editor: Editor, node: string, inputs: JsonObject): void {
  const receivedAt = new Date().toISOString();
  editor.document.edit((workflow) => setTestEvent(workflow, { node, inputs, receivedAt }));
  editor.run.clear();
}
