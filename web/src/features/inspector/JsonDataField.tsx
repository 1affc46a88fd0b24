import { useEffect, useRef, useState } from "react";
import { setData } from "../../model/workflow/edits";
import type { JsonObject, WorkflowNode } from "../../model/workflow/workflow";
import { useEditor } from "../../state/editorContext";
import { JsonField } from "../../ui/JsonField";

/** The data of a node as JSON, which works for every node type. */
export function JsonDataField({ node, isReadOnly }: { node: WorkflowNode; isReadOnly: boolean }) {
  const editor = useEditor();
  const invalid = editor.invalidInputs.at(node.id, "");
  const [text, setText] = useState(() => invalid?.typed ?? JSON.stringify(node.data, null, 2));
  const [fault, setFault] = useState<string | null>(() => invalid?.fault ?? null);
  const shown = useRef(node.data);
  useEffect(() => {
    if (shown.current === node.data) return;
    shown.current = node.data;
    editor.invalidInputs.set(node.id, "", null);
    setText((current) => (sameJson(current, node.data) ? current : JSON.stringify(node.data, null, 2)));
    setFault(null);
  }, [editor, node.id, node.data]);
  const type = (typed: string) => {
    if (typed === text) return;
    setText(typed);
    try {
      const data = JSON.parse(typed) as JsonObject;
      if (data === null || typeof data !== "object" || Array.isArray(data))
        throw new Error("an object is expected");
      setFault(null);
      editor.invalidInputs.set(node.id, "", null);
      editor.document.edit((workflow) => setData(workflow, node.id, data), `data-${node.id}`);
    } catch (error) {
      const reason = `Not valid: ${(error as Error).message}`;
      setFault(reason);
      editor.invalidInputs.set(node.id, "", { typed, fault: reason });
    }
  };
  return (
    <JsonField
      label="Data"
      value={text}
      fault={fault}
      isReadOnly={isReadOnly}
      onChange={type}
      onBlur={() => editor.document.endGesture()}
    />
  );
}

function sameJson(text: string, data: JsonObject): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(data);
  } catch {
    return false;
  }
}
