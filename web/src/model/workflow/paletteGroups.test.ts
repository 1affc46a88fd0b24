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

test("favorites come before recent nodes and are not repeated there; tools come after all other nodes", () => {
  const request = { ...BUILT_IN_STEPS[0]!, ref: "ACTION.HTTP_REQUEST", type: "ACTION" };
  const entries = [tool("time", "now"), tool("time", "zone"), ...BUILT_IN_STEPS, request];
  const groups = paletteGroups(entries, ["time/now", "time/zone"], ["time/zone", "gone/x"]);
  expect(groups.slice(0, 2).map(({ title }) => title)).toEqual(["Favorites", "Recent"]);
  expect(groups[0]!.entries.map(({ ref }) => ref)).toEqual(["time/zone"]);
  expect(groups[1]!.entries.map(({ ref }) => ref)).toEqual(["time/now"]);
  const ids = groups.map(({ id }) => id);
  expect(ids.indexOf("server time")).toBeGreaterThan(ids.indexOf("action"));
});

test("without recent nodes there is no such group", () => {
  expect(paletteGroups(BUILT_IN_STEPS, [])[0]!.id).not.toBe("recent");
});
