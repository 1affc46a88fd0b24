type Block = { kind: "heading"; level: number } | { kind: string };

/**
 * The levels of the headings in a text that is a part of a page: they begin at the second, and none is skipped.
 * Other blocks have none.
 */
export function headingLevels(blocks: readonly Block[]): number[] {
  const open: number[] = [];
  return blocks.map((block) => {
    if (!("level" in block)) return 0;
    while (open.length > 0 && open.at(-1)! >= block.level) open.pop();
    open.push(block.level);
    return Math.min(open.length + 1, 6);
  });
}
