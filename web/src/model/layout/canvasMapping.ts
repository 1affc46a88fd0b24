/** Between workflow JSON and what the canvas draws; unchanged nodes map to the same object. */

import type { Specs } from "../workflow/catalog";
import { inPorts, isNote, outPorts, portLabel, TITLES, words } from "../workflow/catalog";
import { FRAME_SIZE } from "../workflow/edits";
import type { Family } from "../workflow/families";
import { familyOfNode } from "../workflow/families";
import type { PortPlace, Shape } from "./geometry";
import { NODE_SIZE, portsOf, sizeOf } from "./geometry";
import { shownText } from "../text/untrusted";
import type { Connection, Position, Workflow, WorkflowNode } from "../workflow/workflow";
import { INPUT, OUTPUT, nameOf, text } from "../workflow/workflow";

const MODES: Readonly<Record<string, string>> = {
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
  marks: string[];
  kind: string;
  family: Family;
  server: string | null;
  tool: string | null;
  /** How an MCP node is told what to do, where not by values. */
  modeWords: string | null;
  note: string;
  isOff: boolean;
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
  handles: PortPlace[];
  initialWidth: number;
  initialHeight: number;
  ariaLabel?: string;
  /** The canvas is one stop of the Tab key; arrows walk within it. */
  domAttributes: { tabIndex: -1; "aria-labelledby"?: string };
}

/** Where a step says what it is and how it stands. */
export function labelIdOf(id: string): string {
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
export function mapper(): {
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
  const data = view(node, specs);
  return {
    id: node.id,
    type,
    // A file without places is drawn in a row until somebody tidies it.
    position: node.position ?? { x: index * (NODE_SIZE.width + 50), y: 0 },
    data,
    initialWidth: NODE_SIZE.width,
    initialHeight: NODE_SIZE.height,
    ...(node.parentId ? { parentId: node.parentId } : {}),
    ...drawnSize(node, type, data),
    ...(type === "step" ? {} : { ariaLabel: data.kind === data.title ? data.title : `${data.title}, ${data.kind}` }),
    domAttributes: { tabIndex: -1, ...(type === "step" ? { "aria-labelledby": labelIdOf(node.id) } : {}) },
  };
}

/** A note is as tall as its text; all else has a size before it is drawn. */
function drawnSize(node: WorkflowNode, type: CanvasNode["type"], data: NodeView): Pick<CanvasNode, "width" | "height" | "measured" | "handles"> {
  if (type === "note") return { handles: [] };
  const size = type === "group" ? { width: node.style?.width ?? FRAME_SIZE.width, height: node.style?.height ?? FRAME_SIZE.height } : sizeOf(shapeOf(data));
  return { ...size, measured: size, handles: type === "group" ? [] : portsOf(shapeOf(data)) };
}

function shapeOf({ inputs, outputs, modeWords }: NodeView): Shape {
  return { inputs, outputs, hasMode: modeWords !== null };
}

function view(node: WorkflowNode, specs: Specs): NodeView {
  const subtype = text(node.data["subtype"]);
  const live = /^MCP:([^/]+)\/(.+)$/.exec(subtype);
  const server = node.type === "mcp" ? text(node.data["serverId"]) : (live?.[1] ?? null);
  const tool = node.type === "mcp" ? text(node.data["toolName"]) : (live?.[2] ?? null);
  const configurations = node.data["configurations"] as { enabled?: unknown } | undefined;
  const title = shownText(nameOf(node));
  return {
    title: title.text,
    marks: [...new Set([...title.marks, ...shownText(tool ?? "").marks, ...shownText(server ?? "").marks])],
    kind: shownText(tool ?? "").text || TITLES[node.type] || words(subtype || node.type),
    family: familyOfNode(node),
    server: server === null ? null : shownText(server).text,
    tool,
    modeWords: node.type === "mcp" ? (MODES[text(node.data["mode"])] ?? null) : null,
    note: shownText(text(node.data["content"]) || text(node.data["text"]) || text(node.data["label"])).text,
    isOff: configurations?.enabled === false,
    inputs: inPorts(node, specs).map((name) => ({ name, label: name })),
    outputs: outPorts(node, specs).map((name) => ({ name, label: portLabel(node, name) })),
  };
}

function canvasEdge(connection: Connection): CanvasEdge {
  return {
    id: connection.id,
    source: connection.from,
    target: connection.to,
    sourceHandle: connection.fromPort ?? OUTPUT,
    targetHandle: connection.toPort ?? INPUT,
    ...(connection.condition ? { label: connection.condition } : {}),
    type: "wire",
  };
}
