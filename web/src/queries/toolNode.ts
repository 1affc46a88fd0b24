/** Adds a tool as a node to the open workflow, or to a new one, and shows it. */

import type { Server, ServerTool } from "../model/servers/serverStatus";
import { toolEntry } from "../model/servers/serverStatus";
import { safeText } from "../model/text/untrusted";
import { changeNode } from "../model/workflow/edits";
import type { JsonObject } from "../model/workflow/workflow";
import type { Editor } from "../state/editor";
import { insertionGesture } from "../state/nodeInsertion";
import { notify } from "../state/notices";
import { navigate } from "../state/route";
import { currentEditor, openNewWorkflow } from "../state/workspace";
import { useEntries, useSpecs } from "./catalog";
import { insertEntry } from "./insertion";

export interface ToolNodeOptions {
  values?: JsonObject;
  /** Opens a new workflow, even if one is open. */
  isNew?: boolean;
  onAdded?: (() => void) | undefined;
}

/** The open workflow, if it can be edited. */
export function editableWorkflow(): Editor | null {
  const open = currentEditor();
  return open && !open.document.isReadOnly ? open : null;
}

export function useAddTool(server: Server): (tool: ServerTool, options?: ToolNodeOptions) => void {
  const { entries } = useEntries();
  const specs = useSpecs();
  return (tool, { values = {}, isNew = false, onAdded } = {}) => {
    const editor = (isNew ? null : editableWorkflow()) ?? openNewWorkflow(null);
    const id = insertEntry(editor, toolEntry(server.name, tool, entries), specs);
    if (Object.keys(values).length > 0) {
      editor.document.edit(
        (workflow) =>
          changeNode(workflow, id, (node) => ({ ...node, data: { ...node.data, parameterValues: values } })),
        insertionGesture(id),
      );
    }
    const { storedAs, draftId, workflow } = editor.document;
    notify(`Added ${safeText(tool.name).text} to ${workflow.name}`, { tone: "good" });
    onAdded?.();
    if (onAdded && !isNew) return;
    if (storedAs === null) navigate("new", draftId!);
    else navigate("w", storedAs);
  };
}
