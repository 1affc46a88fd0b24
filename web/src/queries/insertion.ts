/** Adds a node of the catalog; the service makes the data of a tool's node, as `toolweave node add` does. */

import { client, unwrap } from "../api/client";
import type { CatalogEntry, Specs } from "../model/workflow/catalog";
import { changeNode } from "../model/workflow/edits";
import type { InsertionPoint } from "../model/workflow/insertion";
import type { JsonObject } from "../model/workflow/workflow";
import type { Editor } from "../state/editor";
import { addEntry, insertionGesture } from "../state/nodeInsertion";

export function insertEntry(
  editor: Editor,
  entry: CatalogEntry,
  specs: Specs,
  point?: InsertionPoint,
): string {
  const id = addEntry(editor, entry, specs, point);
  // Without an answer the node works as well: saving stores what is missing.
  if (entry.server && entry.tool) void storeSchema(editor, id, entry.server, entry.tool).catch(() => {});
  return id;
}

async function storeSchema(editor: Editor, id: string, server: string, tool: string): Promise<void> {
  const document = { ...editor.document.workflow, nodes: [], connections: [] };
  const body = { document, server, tool };
  const { node } = await unwrap(client.POST("/api/v1/edit/node", { body: body as never }));
  const { parameters, toolDescription } = node["data"] as JsonObject;
  editor.document.edit(
    (workflow) =>
      changeNode(workflow, id, (current) =>
        // The user may have chosen another tool meanwhile.
        current.data["toolName"] === tool
          ? {
              ...current,
              data: { ...current.data, parameters: parameters!, toolDescription: toolDescription! },
            }
          : current,
      ),
    insertionGesture(id),
  );
}
