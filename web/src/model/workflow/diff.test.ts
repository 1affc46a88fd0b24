import { describe, expect, it } from "vitest";
import { diffWorkflows } from "./diff";
import { newWorkflow } from "./workflow";

describe("the difference of two workflows", () => {
  it("lists added and changed nodes", () => {
    const mine = newWorkflow("a");
    const theirs = { ...mine, nodes: [{ ...mine.nodes[0]!, name: "Begin" }] };
    expect(diffWorkflows(mine, theirs).map(({ kind, what }) => `${kind} ${what}`)).toEqual([
      "changed node Start",
      "added node End",
    ]);
    expect(diffWorkflows(mine, mine)).toEqual([]);
  });
});

it("lists the fields of an object that was missing, and no empty one", () => {
  const theirs = newWorkflow("a");
  const fields = (mine: typeof theirs) => diffWorkflows(mine, theirs).flatMap(({ details }) => details);
  expect(fields({ ...theirs, metadata: { studio: {} } })).toEqual([]);
  expect(fields({ ...theirs, metadata: { tags: ["x"] } })).toEqual([
    { field: "metadata.tags", mine: '["x"]', theirs: "—" },
  ]);
});

it("names the nodes of a connection", () => {
  const theirs = newWorkflow("a");
  const mine = { ...theirs, connections: [{ id: "c", from: "start", to: "end", fromPort: "true" }] };
  expect(diffWorkflows(mine, theirs).map(({ what }) => what)).toEqual(["connection Start (true) → End"]);
});
