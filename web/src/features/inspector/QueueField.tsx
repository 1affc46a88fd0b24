/** The queue whose workers call the tool of an MCP node. */

import { setData } from "../../model/workflow/edits";
import type { WorkflowNode } from "../../model/workflow/workflow";
import { asText } from "../../model/workflow/workflow";
import { useEditor } from "../../state/editorContext";
import { Field } from "../../ui/Field";
import { CollapsibleSection } from "./CollapsibleSection";

export function QueueField({ node, isReadOnly }: { node: WorkflowNode; isReadOnly: boolean }) {
  const editor = useEditor();
  const change = (queue: string) => {
    const { queue: _, ...rest } = node.data;
    const data = queue ? { ...rest, queue } : rest;
    editor.document.edit((workflow) => setData(workflow, node.id, data), `queue-${node.id}`);
  };
  return (
    <CollapsibleSection title="Execution" isOpen={node.data["queue"] !== undefined}>
      <Field label="Queue" note="Only workers of this queue execute the node.">
        {(id, _, aria) => (
          <input
            id={id}
            {...aria}
            className="input"
            value={asText(node.data["queue"])}
            readOnly={isReadOnly}
            onChange={(event) => change(event.target.value.trim())}
            onBlur={() => editor.document.endGesture()}
          />
        )}
      </Field>
    </CollapsibleSection>
  );
}
