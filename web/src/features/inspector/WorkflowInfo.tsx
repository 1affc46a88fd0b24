/** The side panel while no single node is selected: the workflow's description, and keyboard hints. */

import { countOf } from "../../model/text/formatValue";
import { canOpenNode } from "../../model/workflow/families";
import type { Workflow } from "../../model/workflow/workflow";
import { useEditor } from "../../state/editorContext";
import { Field } from "../../ui/Field";
import { WorkflowInputs } from "./WorkflowInputs";
import "./inspector.css";

const HINTS = [
  ["A", "add a node or a tool"],
  ["C", "connect the selected node"],
  ["Ctrl ↵", "run"],
  ["Ctrl K", "find any command"],
  ["?", "all shortcuts"],
] as const;

export function WorkflowInfo({ workflow, isReadOnly }: { workflow: Workflow; isReadOnly: boolean }) {
  const editor = useEditor();
  const describe = (description: string) =>
    editor.document.edit((now) => ({ ...now, description }), "workflow-description");
  return (
    <div className="inspector">
      <Field label="Description">
        {(id, _, aria) => (
          <textarea
            id={id}
            {...aria}
            className="textarea"
            rows={4}
            value={workflow.description ?? ""}
            readOnly={isReadOnly}
            onChange={(event) => describe(event.target.value)}
            onBlur={() => editor.document.endGesture()}
          />
        )}
      </Field>
      <WorkflowInputs isReadOnly={isReadOnly} />
      <p className="faint">
        {countOf(workflow.nodes.filter(canOpenNode).length, "node")},{" "}
        {countOf(workflow.connections.length, "connection")}. Select a node to see{" "}
        {isReadOnly ? "what it did" : "and change it"}.
      </p>
      {!isReadOnly && (
        <dl className="hints">
          {HINTS.map(([keys, what]) => (
            <div key={keys} className="hints__line">
              <dt>
                <span className="kbd">{keys}</span>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
