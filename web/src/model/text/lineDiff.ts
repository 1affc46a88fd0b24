/** Which lines of two texts differ. */

export interface DiffLine {
  text: string;
  isChanged: boolean;
}

/** Longer texts are compared line by line at the same place. */
const MAX_LINES = 400;

export function diffLines(left: string, right: string): [DiffLine[], DiffLine[]] {
  const [a, b] = [left.split("\n"), right.split("\n")];
  const common = a.length > MAX_LINES || b.length > MAX_LINES ? samePlaces(a, b) : longestCommon(a, b);
  return [marked(a, new Set(common.map(([at]) => at))), marked(b, new Set(common.map(([, at]) => at)))];
}

function marked(lines: readonly string[], common: ReadonlySet<number>): DiffLine[] {
  return lines.map((text, at) => ({ text, isChanged: !common.has(at) }));
}

function samePlaces(a: readonly string[], b: readonly string[]): [number, number][] {
  return a.flatMap((line, at): [number, number][] => (b[at] === line ? [[at, at]] : []));
}

/** The pairs of places of a longest common subsequence. */
function longestCommon(a: readonly string[], b: readonly string[]): [number, number][] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i]![j] =
        a[i] === b[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (lengths[i + 1]![j]! >= lengths[i]![j + 1]!) i++;
    else j++;
  }
  return pairs;
}
