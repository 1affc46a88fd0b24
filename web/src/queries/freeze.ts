/** Replaces the model of a node by the calls it made in a run, as one step that can be undone. */

import { client, unwrap } from "../api/client";
import { completeWorkflow } from "../model/workflow/completeWorkflow";
import type { Editor } from "../state/editor";

export interface FrozenCall {
  tool: string;
  arguments: Record<string, unknown>;
}

export async function freezeModelCalls(editor: Editor, run: string, node: string): Promise<FrozenCall[]> {
  const body = { node, document: editor.document.workflow };
  const frozen = await unwrap(
    client.POST("/api/v1/runs/{run}/freeze", { params: { path: { run } }, body: body as never }),
  );
  editor.document.endGesture();
  editor.document.replace(completeWorkflow(frozen.document));
  return frozen.calls as unknown as FrozenCall[];
}
