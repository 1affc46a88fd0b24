/** A step on the canvas: its family, name, tool and status. */

import type { NodeProps } from "@xyflow/react";
import { Handle, Position } from "@xyflow/react";
import { memo, useContext, useState } from "react";
import type { NodeView } from "../../model/layout/canvasMapping";
import { nodeLabelId } from "../../model/layout/canvasMapping";
import { inputTop } from "../../model/layout/geometry";
import { FAMILY_TITLES } from "../../model/workflow/families";
import { connectedPorts, targetTitles, describeNode } from "../../model/workflow/nodeDescription";
import { pinOf } from "../../model/workflow/studioData";
import { togglePin } from "../../queries/pinnedData";
import { useDocument, useEditor, useProblems, useRunState } from "../../state/editorContext";
import type { IconName } from "../../ui/Icon";
import { Icon } from "../../ui/Icon";
import { NodeIcon } from "../../ui/NodeIcon";
import { TextWarning } from "../../ui/TextWarning";
import { LowDetail } from "./detailLevel";
import { StepToolbar } from "./StepToolbar";
import { NodeDuration, STATUS_LABELS, StatusMark, useNodeError } from "./NodeStatus";

/** Labels for tools that do not match what their server offers. */
const TOOL_STATUS_LABELS: Record<string, string> = {
  missing: "server not registered",
  disconnected: "server not responding",
  invalid: "tool changed",
};
const TOOL_STATUS_ICONS: Record<string, IconName> = {
  missing: "help",
  disconnected: "plug",
  invalid: "alert",
};

type Props = NodeProps & { data: NodeView };

export const StepNode = memo(function StepNode(props: Props) {
  return useContext(LowDetail) ? <LowDetailStep {...props} /> : <FullStep {...props} />;
});

/** The family, the status and, if it is large enough to read, the name. */
function LowDetailStep({ id, data, selected }: Props) {
  const change = useEditor().changes.get(id);
  const status = useRunState((state) => state.statuses[id]);
  const isWrong = useProblems(
    (state) => state.byNode[id]?.some((problem) => problem.severity === "error") ?? false,
  );
  const names = [
    "step",
    "step--far",
    `family--${data.family}`,
    selected ? "is-selected" : "",
    isWrong ? "is-wrong" : "",
    change ? `is-${change}` : "",
  ];
  return (
    <>
      {selected && !data.isPill && <FarMenu id={id} />}
      <div
        id={selected ? undefined : nodeLabelId(id)}
        className={names.filter(Boolean).join(" ")}
        data-status={status}
      >
        {selected && <NodeLabel id={id} data={data} isSelected />}
        {data.title}
      </div>
    </>
  );
}

/** The menu of a node that is selected alone: hundreds can be selected. */
function FarMenu({ id }: { id: string }) {
  const isShown = useDocument((state) => !state.isReadOnly && state.selection.size === 1);
  return isShown && <StepToolbar id={id} isFar />;
}

function FullStep({ id, data, selected }: Props) {
  // Rendered on demand: a large canvas shows hundreds of nodes.
  const [isHovered, setHovered] = useState(false);
  const isReadOnly = useDocument((state) => state.isReadOnly);
  const status = useRunState((state) => state.statuses[id] ?? null);
  const change = useEditor().changes.get(id);
  const { family, modeLabel, isDisabled, isPill, inputs, outputs } = data;
  const names = [
    "step",
    `family--${family}`,
    isPill ? "step--pill" : "",
    selected ? "is-selected" : "",
    isDisabled ? "is-off" : "",
    change ? `is-${change}` : "",
  ];
  return (
    <div
      className={names.filter(Boolean).join(" ")}
      data-status={status ?? undefined}
      onMouseEnter={() => setHovered(true)}
      onMouseLeave={() => setHovered(false)}
    >
      {change && <span className="step__change">{change}</span>}
      {(isHovered || selected) && !isReadOnly && !isPill && <StepToolbar id={id} />}
      <NodeLabel id={id} data={data} isSelected={selected ?? false} />
      {inputs.map((port, at) => (
        <Handle
          key={port.name}
          id={port.name}
          type="target"
          position={Position.Left}
          className="step__port"
          style={{ top: inputTop(at) }}
          title={port.label}
        />
      ))}
      <StepHeader id={id} data={data} />
      {modeLabel && <div className="step__mode">{modeLabel}</div>}
      {outputs.length > 1 ? (
        <div className="step__outs">
          {outputs.map((port) => (
            <div key={port.name} className="step__out">
              <span>{port.label}</span>
              <OutputPort node={id} port={port.name} />
            </div>
          ))}
        </div>
      ) : (
        outputs.map((port) => <OutputPort key={port.name} node={id} port={port.name} top={inputTop(0)} />)
      )}
      {status && <StatusMark id={id} status={status} />}
      {!isPill && <PinMark id={id} />}
    </div>
  );
}

function StepHeader({ id, data }: { id: string; data: NodeView }) {
  const { family, icon, monogram, title, warnings, server, isPill } = data;
  return (
    <div className="step__head">
      <NodeIcon family={family} kind={icon} monogram={monogram} size={isPill ? 14 : 18} />
      <div className="step__names">
        <div className="step__title">
          <TextWarning warnings={warnings} /> {title}
        </div>
        {!isPill && <Subtitle id={id} data={data} />}
      </div>
      <ProblemMark id={id} isMcp={server !== null} />
    </div>
  );
}

/** The error of a failed node, else what the node will do, else its kind. */
function Subtitle({ id, data: { server, kind, title, family, subtitle } }: { id: string; data: NodeView }) {
  const status = useRunState((state) => state.statuses[id] ?? null);
  const error = useNodeError(id, status);
  if (error !== null) {
    return (
      <div className="step__kind step__kind--error" title={error}>
        <span className="step__tool">{error}</span>
      </div>
    );
  }
  return (
    <div className="step__kind">
      {server !== null && <span className="step__server">{server || "no server"}</span>}
      {server !== null && <span aria-hidden="true">›</span>}
      <span className={subtitle?.isCode ? "step__tool step__tool--code" : "step__tool"}>
        {subtitle?.text || (kind === title && server === null ? FAMILY_TITLES[family] : kind)}
      </span>
      <NodeDuration id={id} />
    </div>
  );
}

/** Shows that the output is pinned; a click unpins it. */
function PinMark({ id }: { id: string }) {
  const editor = useEditor();
  const isPinned = useDocument(({ history }) => pinOf(history.present, id) !== undefined);
  const isReadOnly = useDocument((state) => state.isReadOnly);
  if (isReadOnly || !isPinned) return null;
  return (
    <button
      type="button"
      tabIndex={-1}
      className="step__pin nodrag"
      aria-label="Unpin output"
      title="Output pinned: runs in the editor do not execute this node. Click to unpin"
      onClick={(event) => (event.stopPropagation(), void togglePin(editor, id))}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <Icon name="pin" size={12} />
    </button>
  );
}

/** Shows a plus while nothing is connected to it; dragging or clicking it adds the next node. */
function OutputPort({ node, port, top }: { node: string; port: string; top?: number }) {
  const isFree = useDocument(({ history }) => !connectedPorts(history.present).has(`${node} ${port}`));
  return (
    <Handle
      id={port}
      type="source"
      position={Position.Right}
      className={isFree ? "step__port is-free" : "step__port"}
      style={top === undefined ? undefined : { top }}
      title={port}
    />
  );
}

/** The text that screen readers read for the node. */
function NodeLabel({ id, data, isSelected }: { id: string; data: NodeView; isSelected: boolean }) {
  const change = useEditor().changes.get(id);
  const status = useRunState((state) => state.statuses[id]);
  const problems = useProblems((state) => state.byNode[id]);
  const statusOfTool = useProblems((state) => state.toolStatuses[id]?.status);
  const isPinned = useDocument(({ history }) => pinOf(history.present, id) !== undefined);
  // Joined to a string, because a new list would render the node again after every edit.
  const targets = useDocument((state) => targetTitles(state.history.present, id).join("\n"));
  const errors = problems?.filter((problem) => problem.severity === "error").length ?? 0;
  const toolStatus = {
    state: status ? STATUS_LABELS[status] : (change ?? null),
    isPinned,
    fit: statusOfTool ? TOOL_STATUS_LABELS[statusOfTool] : undefined,
    errors,
    warnings: (problems?.length ?? 0) - errors,
    isSelected,
    leadsTo: targets ? targets.split("\n") : [],
  };
  return (
    <span id={nodeLabelId(id)} className="visually-hidden">
      {describeNode(data, toolStatus)}
    </span>
  );
}

/** The worst problem of the node; MCP nodes without problems get a check mark. */
function ProblemMark({ id, isMcp }: { id: string; isMcp: boolean }) {
  const problems = useProblems((state) => state.byNode[id]);
  const standing = useProblems((state) => state.toolStatuses[id]);
  const isFine = useRunState(({ statuses }) => (statuses[id] ?? "success") === "success");
  const errors = problems?.filter((problem) => problem.severity === "error").length ?? 0;
  const icon = standing && TOOL_STATUS_ICONS[standing.status];
  if (icon) {
    const label = TOOL_STATUS_LABELS[standing.status]!;
    return (
      <span
        className={`step__mark step__mark--bad step__mark--${standing.status}`}
        title={[label, standing.why].filter(Boolean).join(": ")}
      >
        <Icon name={icon} size={14} />
      </span>
    );
  }
  if (errors > 0) {
    return (
      <span
        className="step__mark step__mark--bad"
        title={problems!.map((problem) => problem.message).join("\n")}
      >
        <Icon name="alert" size={14} />
      </span>
    );
  }
  if (problems?.length) {
    return (
      <span
        className="step__mark step__mark--warn"
        title={problems.map((problem) => problem.message).join("\n")}
      >
        <Icon name="alert" size={14} />
      </span>
    );
  }
  // That the tool fits is not what matters about a node that failed.
  if (!isMcp || !isFine) return null;
  return (
    <span className="step__mark step__mark--good" title="Matches the tool of its server">
      <Icon name="check" size={14} />
    </span>
  );
}
