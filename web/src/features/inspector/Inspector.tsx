/** The selected node: its name, its fields and its problems. */

import type { ReactNode } from "react";
import { useMemo } from "react";
import type { Parameter } from "../../model/form/parameters";
import { builtInParameters, fieldParameter, isUsedSetting, labelOf } from "../../model/form/parameters";
import { renameNode } from "../../model/workflow/edits";
import type { JsonObject, WorkflowNode } from "../../model/workflow/workflow";
import { nodeRef } from "../../model/workflow/workflow";
import { useNodeDetails } from "../../queries/catalog";
import type { Schemas } from "../../api/client";
import { useEditor } from "../../state/editorContext";
import { Field } from "../../ui/Field";
import { CollapsibleSection } from "./CollapsibleSection";
import { JsonDataField } from "./JsonDataField";
import { McpPanel } from "./McpPanel";
import type { TitledSection } from "./NodeForm";
import { NodeForm } from "./NodeForm";
import { TriggerPanel } from "./TriggerPanel";
import { WorkflowInputs } from "./WorkflowInputs";
import "./inspector.css";

/** Settings that every node has. */
const SHARED_SETTINGS: ReadonlySet<string> = new Set(["timeout", "retry_attempts", "enabled", "queue"]);

interface Props {
  node: WorkflowNode;
  isReadOnly: boolean;
}

export function Inspector({ node, isReadOnly, children }: Props & { children?: ReactNode }) {
  const editor = useEditor();
  return (
    <div className="inspector">
      {children}
      <Field label="Name" note={<span className="mono">{nodeRef(node)}</span>}>
        {(id, _, aria) => (
          <input
            id={id}
            {...aria}
            className="input"
            value={node.name}
            readOnly={isReadOnly}
            onChange={(event) =>
              editor.document.edit(
                (workflow) => renameNode(workflow, node.id, event.target.value),
                `name-${node.id}`,
              )
            }
            onBlur={() => editor.document.endGesture()}
          />
        )}
      </Field>
      {node.type === "TRIGGER" && (
        <TriggerPanel key={`trigger-${node.id}`} node={node} isReadOnly={isReadOnly} />
      )}
      {(node.type === "start" || nodeRef(node) === "TRIGGER.MANUAL") && (
        <WorkflowInputs isReadOnly={isReadOnly} />
      )}
      {node.type === "mcp" ? (
        <McpPanel key={node.id} node={node} isReadOnly={isReadOnly} />
      ) : (
        <PlainPanel key={node.id} node={node} isReadOnly={isReadOnly} />
      )}
    </div>
  );
}

/** A node whose fields come from its catalog entry, or a built-in step. */
function PlainPanel({ node, isReadOnly }: Props) {
  const ref = nodeRef(node);
  const { data: details, isLoading } = useNodeDetails(ref.includes(".") ? ref : null);
  const settings = node.data["configurations"];
  const { sections, unused } = useMemo(
    () => sectionsOf(node, details),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- fields depend on the type of the node and on its settings
    [details, node.type, settings],
  );
  if (isLoading) return <p className="faint">Loading fields…</p>;
  const hasFields = sections.some(({ parameters }) => parameters.length > 0);
  return (
    <NodeForm node={node} sections={sections} isReadOnly={isReadOnly} isPlain={!details}>
      {unused.length > 0 && (
        <p className="faint">
          Not used with the chosen settings, but still in the workflow: {unused.map(labelOf).join(", ")}
        </p>
      )}
      <CollapsibleSection
        key={String(hasFields)}
        title="Edit as JSON"
        isOpen={!hasFields && Object.keys(node.data).length > 0}
      >
        <JsonDataField node={node} isReadOnly={isReadOnly} />
      </CollapsibleSection>
    </NodeForm>
  );
}

/** The fields that apply, in sections, and those that do not apply though they have a value. */
function sectionsOf(
  node: WorkflowNode,
  details: Schemas["NodeResponse"] | undefined,
): { sections: TitledSection[]; unused: Parameter[] } {
  if (!details)
    return { sections: [{ title: "Fields", path: [], parameters: builtInParameters(node) }], unused: [] };
  const settings = (node.data["configurations"] ?? {}) as JsonObject;
  const all = details.configurations.map(fieldParameter);
  const used = all.filter((parameter) => isUsedSetting(parameter, all, settings));
  const ownSettings = {
    title: "Settings",
    path: ["configurations"],
    parameters: used.filter(({ name }) => !SHARED_SETTINGS.has(name)),
  };
  // What only comes in over the connection is seldom set; a message or a prompt always is.
  const isPassedOn = details.inputs.some(({ name }) => name === "data");
  const inputs = {
    title: "Inputs",
    path: ["inputParams"],
    parameters: details.inputs.map(fieldParameter),
    isFolded: node.data["inputParams"] === undefined && isPassedOn,
  };
  const isInputFirst = !isPassedOn && details.inputs[0]?.required === true;
  const sections = [
    ...(isInputFirst ? [inputs, ownSettings] : [ownSettings, inputs]),
    {
      title: "Execution",
      path: ["configurations"],
      parameters: used.filter(({ name }) => SHARED_SETTINGS.has(name)),
      isFolded: true,
    },
  ];
  return {
    sections,
    unused: all.filter((field) => !used.includes(field) && settings[field.name] !== undefined),
  };
}
