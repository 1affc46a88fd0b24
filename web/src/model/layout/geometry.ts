/** The size of nodes and the positions of their ports; known in advance, so nodes need not be measured. */

export const NODE_SIZE = { width: 240, height: 66 };
/** Start and end are narrower; their ports are as high as those of other nodes, so that connections are straight. */
export const PILL_WIDTH = 120;

/** The size each node is drawn at, by id. */
export type NodeSizes = ReadonlyMap<string, { width: number; height: number }>;

const BORDER = 1;
const HEADER_HEIGHT = 64;
const MODE_HEIGHT = 20;
const OUTPUT_ROWS = { above: 3, each: 22, below: 6 };
const INPUT_ROWS = { first: 32, each: 20, below: 14 };
const PORT_SIZE = 12;

/** What determines the size of a node. */
export interface NodeShape {
  inputs: readonly { name: string }[];
  outputs: readonly { name: string }[];
  hasMode: boolean;
  isPill: boolean;
}

export interface PortPosition {
  id: string;
  type: "source" | "target";
  position: "left" | "right";
  x: number;
  y: number;
  width: number;
  height: number;
}

function headerHeight({ inputs }: NodeShape): number {
  return Math.max(HEADER_HEIGHT, INPUT_ROWS.first + (inputs.length - 1) * INPUT_ROWS.each + INPUT_ROWS.below);
}

/** The top of the list of output ports, if a node has several. */
function outputsTop(shape: NodeShape): number {
  return BORDER + headerHeight(shape) + (shape.hasMode ? MODE_HEIGHT : 0);
}

function nodeWidth({ isPill }: NodeShape): number {
  return isPill ? PILL_WIDTH : NODE_SIZE.width;
}

export function nodeSize(shape: NodeShape): { width: number; height: number } {
  const outs =
    shape.outputs.length > 1
      ? OUTPUT_ROWS.above + shape.outputs.length * OUTPUT_ROWS.each + OUTPUT_ROWS.below
      : 0;
  return { width: nodeWidth(shape), height: outputsTop(shape) + outs + BORDER };
}

/** The distance of an input port from the top of the header. */
export function inputTop(at: number): number {
  return INPUT_ROWS.first + at * INPUT_ROWS.each;
}

export function portPositions(shape: NodeShape): PortPosition[] {
  const single = shape.outputs.length === 1;
  const width = nodeWidth(shape);
  const outTop = (at: number) =>
    single
      ? BORDER + INPUT_ROWS.first
      : outputsTop(shape) + OUTPUT_ROWS.above + at * OUTPUT_ROWS.each + OUTPUT_ROWS.each / 2;
  return [
    ...shape.inputs.map(({ name }, at) => port(name, "target", BORDER + inputTop(at), width)),
    ...shape.outputs.map(({ name }, at) => port(name, "source", outTop(at), width)),
  ];
}

function port(id: string, type: PortPosition["type"], middle: number, nodeWidth: number): PortPosition {
  const [position, x] =
    type === "target" ? (["left", BORDER] as const) : (["right", nodeWidth - BORDER] as const);
  return {
    id,
    type,
    position,
    x: x - PORT_SIZE / 2,
    y: middle - PORT_SIZE / 2,
    width: PORT_SIZE,
    height: PORT_SIZE,
  };
}
