/** A layout of large workflows in linear time: one column for each distance from the start. */

import type { Position } from "../workflow/workflow";

export interface Box {
  id: string;
  width: number;
  height: number;
}

export interface Link {
  from: string;
  to: string;
}

export const RANK_GAP = 70;
export const NODE_GAP = 36;
/** How often the columns are sorted by their neighbours, once in each direction. */
const SWEEPS = 4;

/** Sorts each column by the neighbours of its nodes, so that few connections cross. */
export function layoutInColumns(
  boxes: readonly Box[],
  links: readonly Link[],
): { id: string; position: Position }[] {
  const column = columnsOf(boxes, links);
  const columns: Box[][] = [];
  for (const box of boxes) (columns[column.get(box.id)!] ??= []).push(box);
  const [before, after] = [neighbours(links, "to", "from"), neighbours(links, "from", "to")];
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (const at of columns.keys()) if (at > 0) sortByNeighbours(columns, at, before);
    for (let at = columns.length - 2; at >= 0; at -= 1) sortByNeighbours(columns, at, after);
  }
  const widest = boxes.reduce((most, { width }) => Math.max(most, width), 0);
  const heights = columns.map((members) =>
    members.reduce((sum, { height }) => sum + height + NODE_GAP, -NODE_GAP),
  );
  const highest = heights.reduce((most, height) => Math.max(most, height), 0);
  return columns.flatMap((members, at) => {
    // Columns are centered on each other.
    let y = Math.round((highest - heights[at]!) / 2);
    return members.map(({ id, width, height }) => {
      const position = { x: at * (widest + RANK_GAP) + Math.round((widest - width) / 2), y };
      y += height + NODE_GAP;
      return { id, position };
    });
  });
}

/** The longest distance of each node from a start; connections back to an earlier node do not count. */
function columnsOf(boxes: readonly Box[], links: readonly Link[]): ReadonlyMap<string, number> {
  const next = neighbours(links, "from", "to");
  const waitsFor = new Map<string, number>();
  for (const { to } of links) waitsFor.set(to, (waitsFor.get(to) ?? 0) + 1);
  const column = new Map(boxes.map(({ id }) => [id, 0]));
  const ready = boxes.filter(({ id }) => !waitsFor.get(id)).map(({ id }) => id);
  const isPlaced = new Set(ready);
  const left = boxes.map(({ id }) => id);
  for (let at = 0, rest = 0; ; at += 1) {
    if (at === ready.length) {
      // Only nodes of a loop are left: it begins at the first one that something leads to.
      while (rest < left.length && isPlaced.has(left[rest]!)) rest += 1;
      if (rest === left.length) return column;
      const first = left.slice(rest).find((id) => !isPlaced.has(id) && column.get(id)! > 0) ?? left[rest]!;
      isPlaced.add(first);
      ready.push(first);
    }
    const from = ready[at]!;
    for (const to of next.get(from) ?? []) {
      if (isPlaced.has(to)) continue;
      column.set(to, Math.max(column.get(to)!, column.get(from)! + 1));
      const count = waitsFor.get(to)! - 1;
      waitsFor.set(to, count);
      if (count === 0) {
        isPlaced.add(to);
        ready.push(to);
      }
    }
  }
}

function neighbours(links: readonly Link[], of: "from" | "to", to: "from" | "to"): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const link of links) {
    const known = found.get(link[of]);
    if (known) known.push(link[to]);
    else found.set(link[of], [link[to]]);
  }
  return found;
}

/** Sorts a column by the mean place of the nodes that its nodes are connected to, in their columns. */
function sortByNeighbours(columns: Box[][], at: number, linked: ReadonlyMap<string, string[]>): void {
  const places = new Map<string, number>();
  for (const members of [columns[at - 1], columns[at + 1]])
    for (const [index, { id }] of (members ?? []).entries()) places.set(id, index / members!.length);
  const own = columns[at]!;
  const wanted = new Map(
    own.map(({ id }, index) => {
      const near = (linked.get(id) ?? []).flatMap((other) => places.get(other) ?? []);
      const mean = near.length
        ? near.reduce((sum, place) => sum + place, 0) / near.length
        : index / own.length;
      return [id, mean];
    }),
  );
  own.sort((a, b) => wanted.get(a.id)! - wanted.get(b.id)!);
}
