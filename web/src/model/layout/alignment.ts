/** Where a dragged node lines up with others: its edges and centres, with lines to show. */

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A line across the canvas: `x` is vertical, `y` is horizontal. */
export interface Guide {
  axis: "x" | "y";
  at: number;
  from: number;
  to: number;
}

export interface Alignment {
  x: number;
  y: number;
  guides: Guide[];
}

/** Edges line up with edges, centres with centres. */
const PAIRS = [
  [0, 0],
  [0, 1],
  [1, 0],
  [1, 1],
  [0.5, 0.5],
] as const;

/** Moves a box onto the nearest lines of the others, by at most `distance`. */
export function align(box: Box, others: readonly Box[], distance: number): Alignment {
  const across = nearest(others, distance, (other) => [box.x, box.width, other.x, other.width]);
  const down = nearest(others, distance, (other) => [box.y, box.height, other.y, other.height]);
  const moved = { ...box, x: box.x + (across?.by ?? 0), y: box.y + (down?.by ?? 0) };
  const guides: Guide[] = [];
  if (across) guides.push({ axis: "x", at: across.at, ...span(moved.y, moved.height, across.other, "y") });
  if (down) guides.push({ axis: "y", at: down.at, ...span(moved.x, moved.width, down.other, "x") });
  return { x: moved.x, y: moved.y, guides };
}

interface Match {
  by: number;
  at: number;
  other: Box;
}

function nearest(
  others: readonly Box[],
  distance: number,
  sides: (other: Box) => [number, number, number, number],
): Match | null {
  let best: Match | null = null;
  for (const other of others) {
    const [start, size, otherStart, otherSize] = sides(other);
    for (const [own, theirs] of PAIRS) {
      const at = otherStart + theirs * otherSize;
      const by = at - (start + own * size);
      if (Math.abs(by) <= distance && (!best || Math.abs(by) < Math.abs(best.by))) best = { by, at, other };
    }
  }
  return best;
}

function span(start: number, size: number, other: Box, axis: "x" | "y"): { from: number; to: number } {
  const otherEnd = other[axis] + (axis === "x" ? other.width : other.height);
  return { from: Math.min(start, other[axis]), to: Math.max(start + size, otherEnd) };
}
