import { expect, test } from "vitest";
import { compareVersions } from "./versionDifference";
import type { Workflow } from "./workflow";
import { newWorkflow } from "./workflow";

const step = (id: string, text: string, x = 0) => ({
  id,
  type: "prompt",
  name: id,
  position: { x, y: 0 },
  data: { prompt: text },
});
const edge = (id: string, from: string, to: string) => ({ id, from, to });

function version(nodes: Workflow["nodes"], connections: Workflow["connections"]): Workflow {
  return { ...newWorkflow("w"), nodes, connections };
}

test("added, removed and changed nodes and connections are marked", () => {
  const before = version(
    [step("a", "1"), step("b", "1"), step("gone", "1")],
    [edge("e", "a", "b"), edge("f", "b", "gone")],
  );
  const after = version(
    [step("a", "1", 300), step("b", "2"), step("new", "1")],
    [edge("e", "a", "new"), edge("x", "a", "b")],
  );
  const { workflow, changes } = compareVersions(after, before);
  expect(Object.fromEntries(changes)).toEqual({
    b: "changed",
    new: "added",
    gone: "removed",
    e: "added",
    f: "removed",
  });
  expect(workflow.nodes.map(({ id }) => id).sort()).toEqual(["a", "b", "gone", "new"]);
});

test("a removed connection gets another id than one of the newer version", () => {
  const nodes = [step("a", "1"), step("b", "1"), step("c", "1")];
  const { workflow, changes } = compareVersions(
    version(nodes, [edge("e", "a", "c")]),
    version(nodes, [edge("e", "a", "b")]),
  );
  expect(workflow.connections.map(({ id }) => id)).toEqual(["e", "e-removed"]);
  expect([changes.get("e"), changes.get("e-removed")]).toEqual(["added", "removed"]);
});

test("a moved node and another order of keys are not changes", () => {
  const { data, ...rest } = step("a", "1", 0);
  const after = version([{ data, ...rest }], []);
  expect(compareVersions(after, version([step("a", "1", 500)], [])).changes.size).toBe(0);
});

test("a removed node is beside the one that has its place now", () => {
  const before = version([step("a", "1"), step("gone", "1", 300), step("b", "1", 600)], []);
  const { workflow } = compareVersions(version([step("a", "1"), step("b", "1", 300)], []), before);
  const [gone] = workflow.nodes;
  expect([gone!.id, gone!.position!.x, gone!.position!.y >= 66]).toEqual(["gone", 300, true]);
});
