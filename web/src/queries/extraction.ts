/** Moves selected nodes into a workflow of their own, which the open one then runs as a step. */

import { client, unwrap } from "../api/client";
import { completeWorkflow } from "../model/workflow/completeWorkflow";
import type { Editor } from "../state/editor";
import { saveWorkflow } from "./workflows";

/** Saves the new workflow, then changes the open one in one step; returns the id of the new node. */
export async function extractToSubworkflow(
  editor: Editor,
  nodes: readonly string[],
  name: string,
): Promise<string> {
  const before = editor.document.workflow;
  const body = { document: before, nodes, name };
  const done = await unwrap(client.POST("/api/v1/edit/extract", { body: body as never }));
  if (editor.document.workflow !== before) throw new Error("the workflow was edited; try again");
  await saveWorkflow(completeWorkflow(done.extracted), name, null);
  editor.document.endGesture();
  editor.document.replace(completeWorkflow(done.document));
  editor.document.endGesture();
  return done.node;
}
