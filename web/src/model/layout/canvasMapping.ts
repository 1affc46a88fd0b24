/** Maps workflow JSON to canvas elements; unchanged nodes map to the same object. */

import { safeText } from "../text/untrusted";
import type { Specs } from "../workflow/catalog";
import {
  inputPorts,
  isLoop,
  isNote,
  outputPorts,
  portLabel,
  NODE_TITLES,
  humanize,
} from "../workflow/catalog";
import { GROUP_SIZE } from "../workflow/edits";
import type { Family } from "../workflow/families";
import { familyOfNode } from "../workflow/families";
import { kindIcon, monogram } from "../workflow/kindIcons";
import type { Subtitle } from "../workflow/nodeSubtitle";
import { nodeSubtitle } from "../workflow/nodeSubtitle";
import type { Connection, Position, Workflow, WorkflowNode } from "../workflow/workflow";
import {
  ERROR_PORT,
  INPUT_PORT,
  NEXT_PORT,
  OUTPUT_PORT,
  nodeName,
  nodeRef,
  asText,
} from "../workflow/workflow";
import type { PortPosition, NodeShape } from "./geometry";
import { NODE_SIZE, portPositions, nodeSize } from "./geometry";

// On a node: shorter than the titles of the modes.
const PARAMETERS = "AI values";
const TASK = "AI task";
const MODE_LABELS: Readonly<Record<string, string | undefined>> = {
  naturalLanguageParam: PARAMETERS,
  fullNaturalLanguage: TASK,
  naturalLanguageFull: TASK,
  aiParameterConfig: PARAMETERS,
  aiToolSelection: TASK,
};

export interface PortView {
  name: string;
  label: string;
}

export interface NodeView extends Record<string, unknown> {
  title: string;
  /** Warnings about its names, which others may have written. */
  warnings: string[];
  kind: string;
  family: Family;
  icon: ReturnType<typeof kindIcon>;
  monogram: ReturnType<typeof monogram> | null;
  server: string | null;
  tool: string | null;
  /** What the node will do; null if its settings do not say. */
  subtitle: Subtitle | null;
  /** Start and end are drawn as pills. */
  isPill: boolean;
  /** The label of the mode of an MCP node that is configured by a description. */
  modeLabel: string | null;
  note: string;
  isDisabled: boolean;
  inputs: PortView[];
  outputs: PortView[];
}

/** The fields of a canvas node that we set; React Flow adds its own. */
export interface CanvasNode {
  id: string;
  type: "step" | "group" | "note";
  position: Position;
  data: NodeView;
  parentId?: string;
  width?: number;
  height?: number;
  /** Known in advance, like the ports, so that nodes outside of the view need not be rendered to be measured. */
  measured?: { width: number; height: number };
  handles: PortPosition[];
  initialWidth: number;
  initialHeight: number;
  ariaLabel?: string;
  /** The canvas is one tab stop; arrow keys move within it. */
  domAttributes: { tabIndex: -1; "aria-labelledby"?: string };
}

/** The id of the element that labels a node. */
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
  /** Names a port that its node does not have; it is drawn at another port. */
  data: { isInvalid: boolean };
}

/** Returns functions that reuse the result for everything that did not change since the last call. */
export function createMapper(): {
  nodes(workflow: Workflow, specs: Specs): CanvasNode[];
  edges(workflow: Workflow, specs: Specs): CanvasEdge[];
} {
  let lastSpecs: Specs | null = null;
  let nodes = new WeakMap<WorkflowNode, CanvasNode>();
  const edges = new WeakMap<Connection, MappedEdge>();
  return {
    nodes(workflow, specs) {
      if (specs !== lastSpecs) nodes = new WeakMap();
      lastSpecs = specs;
      const indexById = new Map(workflow.nodes.map((node, index) => [node.id, index]));
      const mapped = workflow.nodes.map((node, index) => {
        // A duplicate id: the canvas would render neither of the two nodes.
        if (indexById.get(node.id) !== index) return null;
        const mappedItem = nodes.get(node) ?? canvasNode(node, specs, index);
        nodes.set(node, mappedItem);
        return mappedItem.parentId && !indexById.has(mappedItem.parentId)
          ? { ...mappedItem, parentId: undefined }
          : mappedItem;
      });
      return parentsFirst(mapped.filter((node) => node !== null));
    },
    edges(workflow, specs) {
      const byId = new Map(workflow.nodes.map((node) => [node.id, node]));
      return workflow.connections.flatMap((connection) => {
        const [source, target] = [byId.get(connection.from), byId.get(connection.to)];
        if (!source || !target) return [];
        const old = edges.get(connection);
        // Ports depend on the data of a node, not on its position.
        const isSame = old?.specs === specs && old.source === source.data && old.target === target.data;
        const edge = isSame ? old.edge : canvasEdge(connection, source, target, specs);
        edges.set(connection, { edge, source: source.data, target: target.data, specs });
        return [edge];
      });
    },
  };
}

interface MappedEdge {
  edge: CanvasEdge;
  source: WorkflowNode["data"];
  target: WorkflowNode["data"];
  specs: Specs;
}

/** React Flow requires a group before its members. */
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
    // A file without positions is shown as a row until the user tidies it.
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

/** A note is as high as its text; all other sizes are known in advance. */
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

function shapeOf({ inputs, outputs, modeLabel, isPill }: NodeView): NodeShape {
  return { inputs, outputs, hasMode: modeLabel !== null, isPill };
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
    icon: kindIcon(nodeRef(node)),
    monogram: server ? monogram(server) : null,
    server: server === null ? null : safeText(server).text,
    tool,
    subtitle: nodeSubtitle(node),
    isPill: node.type === "start" || node.type === "end",
    modeLabel: node.type === "mcp" ? (MODE_LABELS[asText(node.data["mode"])] ?? null) : null,
    note: safeText(asText(node.data["content"]) || asText(node.data["text"]) || asText(node.data["label"]))
      .text,
    isDisabled: configurations?.enabled === false,
    inputs: inputPorts(node, specs).map((name) => ({ name, label: name })),
    outputs: outputPorts(node, specs).map((name) => ({ name, label: portLabel(node, name) })),
  };
}

function canvasEdge(
  connection: Connection,
  source: WorkflowNode,
  target: WorkflowNode,
  specs: Specs,
): CanvasEdge {
  const from = knownPort(connection.fromPort ?? OUTPUT_PORT, outputPorts(source, specs), ERROR_PORT);
  const to = knownPort(
    connection.toPort ?? INPUT_PORT,
    inputPorts(target, specs),
    isLoop(target) ? NEXT_PORT : undefined,
  );
  const isKnown = hasKnownPorts(source, specs) && hasKnownPorts(target, specs);
  return {
    id: connection.id,
    source: connection.from,
    target: connection.to,
    sourceHandle: from.port,
    targetHandle: to.port,
    ...(connection.condition ? { label: connection.condition } : {}),
    type: "wire",
    data: { isInvalid: isKnown && !(from.isKnown && to.isKnown) },
  };
}

/** Until the catalog is loaded, the ports of its nodes are unknown. */
function hasKnownPorts(node: WorkflowNode, specs: Specs): boolean {
  const ref = nodeRef(node);
  return node.type === "mcp" || !ref.includes(".") || specs.has(ref);
}

/** The port, or the first one of the node in place of a port that is implied or that it does not have. */
function knownPort(
  port: string,
  ports: readonly string[],
  implied?: string,
): { port: string; isKnown: boolean } {
  const isDrawn = ports.includes(port);
  return { port: isDrawn ? port : (ports[0] ?? port), isKnown: isDrawn || port === implied };
}
