/** How large a node is drawn and where its ports are, known before it is: nothing has to be measured. */

export const NODE_SIZE = { width: 210, height: 58 };

/** The size each node is drawn at, by id. */
export type Sizes = ReadonlyMap<string, { width: number; height: number }>;

const BORDER = 1;
const HEAD = 56;
const MODE = 20;
const OUTS = { above: 3, each: 20, below: 6 };
const INS = { first: 28, each: 18, below: 14 };
const PORT = 11;

/** What decides a node's shape. */
export interface Shape {
  inputs: readonly { name: string }[];
  outputs: readonly { name: string }[];
  hasMode: boolean;
}

export interface PortPlace {
  id: string;
  type: "source" | "target";
  position: "left" | "right";
  x: number;
  y: number;
  width: number;
  height: number;
}

function headOf({ inputs }: Shape): number {
  return Math.max(HEAD, INS.first + (inputs.length - 1) * INS.each + INS.below);
}

/** The top of the ways out, where there are several of them below each other. */
function outsTop(shape: Shape): number {
  return BORDER + headOf(shape) + (shape.hasMode ? MODE : 0);
}

export function sizeOf(shape: Shape): { width: number; height: number } {
  const outs = shape.outputs.length > 1 ? OUTS.above + shape.outputs.length * OUTS.each + OUTS.below : 0;
  return { width: NODE_SIZE.width, height: outsTop(shape) + outs + BORDER };
}

/** How far below the head's upper edge a way in is. */
export function inputTop(at: number): number {
  return INS.first + at * INS.each;
}

export function portsOf(shape: Shape): PortPlace[] {
  const single = shape.outputs.length === 1;
  const outTop = (at: number) => (single ? BORDER + INS.first : outsTop(shape) + OUTS.above + at * OUTS.each + OUTS.each / 2);
  return [
    ...shape.inputs.map(({ name }, at) => port(name, "target", BORDER + inputTop(at))),
    ...shape.outputs.map(({ name }, at) => port(name, "source", outTop(at))),
  ];
}

function port(id: string, type: PortPlace["type"], middle: number): PortPlace {
  const [position, x] = type === "target" ? (["left", BORDER] as const) : (["right", NODE_SIZE.width - BORDER] as const);
  return { id, type, position, x: x - PORT / 2, y: middle - PORT / 2, width: PORT, height: PORT };
}
