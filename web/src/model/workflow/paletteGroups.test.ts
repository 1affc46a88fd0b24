import { expect, test } from "vitest";
import type { CatalogEntry } from "./catalog";
import { BUILT_IN_STEPS } from "./catalog";
import { paletteGroups } from "./paletteGroups";

const tool = (server: string, name: string): CatalogEntry => ({
  ...BUILT_IN_STEPS[0]!,
  ref: `${server}/${name}`,
  type: "mcp",
  server,
  tool: name,
});

test("recent nodes come first, and each server is a group of its own, closed if it has many tools", () => {
  const many = Array.from({ length: 9 }, (_, at) => tool("big", `t${at}`));
  const groups = paletteGroups([...BUILT_IN_STEPS, tool("time", "now"), ...many], ["time/now", "gone/x"]);
  expect(groups.slice(0, 2).map(({ title }) => title)).toEqual(["Recent", "Start and end"]);
  expect(groups[0]!.entries.map(({ ref }) => ref)).toEqual(["time/now"]);
  const servers = groups.filter(({ id }) => id.startsWith("server"));
  expect(servers.map(({ title, isInitiallyOpen }) => [title, isInitiallyOpen])).toEqual([
    ["time (MCP)", true],
    ["big (MCP)", false],
  ]);
});

test("without recent nodes there is no such group", () => {
  expect(paletteGroups(BUILT_IN_STEPS, [])[0]!.id).not.toBe("recent");
});
