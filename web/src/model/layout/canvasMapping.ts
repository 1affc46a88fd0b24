/** Between workflow JSON and what the canvas draws; unchanged nodes map to the same object. */

import type { Specs } from "../workflow/catalog";
import { inputPorts, isNote, outputPorts, portLabel, NODE_TITLES, humanize } from "../workflow/catalog";
import { GROUP_SIZE } from "../workflow/edits";
import type { Family } from "../workflow/families";
import { familyOfNode } from "../workflow/families";
import type { PortPosition, NodeShape } from "./geometry";
import { NODE_SIZE, portPositions, nodeSize } from "./geometry";
import { safeText } from "../text/untrusted";
import type { Connection, Position, Workflow, WorkflowNode } from "../workflow/workflow";
import { INPUT_PORT, OUTPUT_PORT, nodeName, asText } from "../workflow/workflow";

const MODE_LABELS: Readonly<Record<string, string>> = {
  naturalLanguageParam: "says what",
  fullNaturalLanguage: "says all",
  naturalLanguageFull: "says all",
  aiParameterConfig: "says what",
  aiToolSelection: "says all",
};

export interface PortView {
  name: string;
  label: string;
}

export interface NodeView extends Record<string, unknown> {
  title: string;
  /** What is odd about its names, which others may have written. */
  warnings: string[];
  kind: string;
  family: Family;
  server: string | null;
  tool: string | null;
  /** How an MCP node is told what to do, where not by values. */
  modeLabel: string | null;
  note: string;
  isDisabled: boolean;
  inputs: PortView[];
  outputs: PortView[];
}

/** The fields of a canvas node that we set; the canvas adds its own. */
export interface CanvasNode {
  id: string;
  type: "step" | "group" | "note";
  position: Position;
  data: NodeView;
  parentId?: string;
  width?: number;
  height?: number;
  /** Said beforehand, with the ports: nothing outside the view has to be drawn to be measured. */
  measured?: { width: number; height: number };
  handles: PortPosition[];
  initialWidth: number;
  initialHeight: number;
  ariaLabel?: string;
  /** The canvas is one stop of the Tab key; arrows walk within it. */
  domAttributes: { tabIndex: -1; "aria-labelledby"?: string };
}

/** Where a step says what it is and how it stands. */
export function nodeLabelId(id: string): string {
  return `node-${encodeURIComponent(id)}`;
}

export interface CanvasEdge {
  id: string;
  source: string;
  target: string;
  sourceHandle: string;
  targetHandle: string;
  label?: string;
  type: "wire";
}

/** Maps with a memory: what did not change since the last time is not made again. */
export function createMapper(): {
  nodes(workflow: Workflow, specs: Specs): CanvasNode[];
  edges(workflow: Workflow): CanvasEdge[];
} {
  let seen: Specs | null = null;
  let nodes = new WeakMap<WorkflowNode, CanvasNode>();
  const edges = new WeakMap<Connection, CanvasEdge>();
  return {
    nodes(workflow, specs) {
      if (specs !== seen) nodes = new WeakMap();
      seen = specs;
      const at = new Map(workflow.nodes.map((node, index) => [node.id, index]));
      const made = workflow.nodes.map((node, index) => {
        // One of two nodes with an id: the canvas would draw neither.
        if (at.get(node.id) !== index) return null;
        const known = nodes.get(node) ?? canvasNode(node, specs, index);
        nodes.set(node, known);
        return known.parentId && !at.has(known.parentId) ? { ...known, parentId: undefined } : known;
      });
      return parentsFirst(made.filter((node) => node !== null));
    },
    edges(workflow) {
      const ids = new Set(workflow.nodes.map(({ id }) => id));
      return workflow.connections
        .filter(({ from, to }) => ids.has(from) && ids.has(to))
        .map((connection) => {
          const known = edges.get(connection) ?? canvasEdge(connection);
          edges.set(connection, known);
          return known;
        });
    },
  };
}

/** The canvas wants a group before what stands in it. */
function parentsFirst(nodes: CanvasNode[]): CanvasNode[] {
  if (!nodes.some((node) => node.parentId)) return nodes;
  return [...nodes.filter((node) => node.type === "group"), ...nodes.filter((node) => node.type !== "group")];
}

function canvasNode(node: WorkflowNode, specs: Specs, index: number): CanvasNode {
  const type = node.type === "group" ? "group" : isNote(node) ? "note" : "step";
  const data = nodeView(node, specs);
  return {
    id: node.id,
    type,
    // A file without places is drawn in a row until somebody tidies it.
    position: node.position ?? { x: index * (NODE_SIZE.width + 50), y: 0 },
    data,
    initialWidth: NODE_SIZE.width,
    initialHeight: NODE_SIZE.height,
    ...(node.parentId ? { parentId: node.parentId } : {}),
    ...knownSize(node, type, data),
    ...(type === "step"
      ? {}
      : { ariaLabel: data.kind === data.title ? data.title : `${data.title}, ${data.kind}` }),
    domAttributes: { tabIndex: -1, ...(type === "step" ? { "aria-labelledby": nodeLabelId(node.id) } : {}) },
  };
}

/** A note is as tall as its text; all else has a size before it is drawn. */
function knownSize(
  node: WorkflowNode,
  type: CanvasNode["type"],
  data: NodeView,
): Pick<CanvasNode, "width" | "height" | "measured" | "handles"> {
  if (type === "note") return { handles: [] };
  const size =
    type === "group"
      ? { width: node.style?.width ?? GROUP_SIZE.width, height: node.style?.height ?? GROUP_SIZE.height }
      : nodeSize(shapeOf(data));
  return { ...size, measured: size, handles: type === "group" ? [] : portPositions(shapeOf(data)) };
}

function shapeOf({ inputs, outputs, modeLabel }: NodeView): NodeShape {
  return { inputs, outputs, hasMode: modeLabel !== null };
}

function nodeView(node: WorkflowNode, specs: Specs): NodeView {
  const subtype = asText(node.data["subtype"]);
  const live = /^MCP:([^/]+)\/(.+)$/.exec(subtype);
  const server = node.type === "mcp" ? asText(node.data["serverId"]) : (live?.[1] ?? null);
  const tool = node.type === "mcp" ? asText(node.data["toolName"]) : (live?.[2] ?? null);
  const configurations = node.data["configurations"] as { enabled?: unknown } | undefined;
  const title = safeText(nodeName(node));
  return {
    title: title.text,
    warnings: [
      ...new Set([...title.warnings, ...safeText(tool ?? "").warnings, ...safeText(server ?? "").warnings]),
    ],
    kind: safeText(tool ?? "").text || NODE_TITLES[node.type] || humanize(subtype || node.type),
    family: familyOfNode(node),
    server: server === null ? null : safeText(server).text,
    tool,
    modeLabel: node.type === "mcp" ? (MODE_LABELS[asText(node.data["mode"])] ?? null) : null,
    note: safeText(asText(node.data["content"]) || asText(node.data["text"]) || asText(node.data["label"]))
      .text,
    isDisabled: configurations?.enabled === false,
    inputs: inputPorts(node, specs).map((name) => ({ name, label: name })),
    outputs: outputPorts(node, specs).map((name) => ({ name, label: portLabel(node, name) })),
  };
}

function canvasEdge(connection: Connection): CanvasEdge {
  return {
    id: connection.id,
    source: connection.from,
    target: connection.to,
    sourceHandle: connection.fromPort ?? OUTPUT_PORT,
    targetHandle: connection.toPort ?? INPUT_PORT,
    ...(connection.condition ? { label: connection.condition } : {}),
    type: "wire",
  };
}
