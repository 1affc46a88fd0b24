/** The arguments of one tool, as the form of a node that calls it. */

import { useMemo } from "react";
import type { Parameter } from "../../model/form/parameters";
import type { WorkflowNode } from "../../model/workflow/workflow";
import type { TitledSection } from "./NodeForm";
import { NodeForm } from "./NodeForm";
import "./inspector.css";

interface Props {
  node: WorkflowNode;
  parameters: readonly Parameter[];
}

export function ToolForm({ node, parameters }: Props) {
  const sections = useMemo<TitledSection[]>(
    () => [{ title: "Arguments", path: ["parameterValues"], parameters }],
    [parameters],
  );
  return (
    <div className="inspector">
      <NodeForm node={node} sections={sections} isReadOnly={false} />
    </div>
  );
}
