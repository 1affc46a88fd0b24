import { describe, expect, it } from "vitest";
import { connectPorts, dropNodes, groupAt, groupNodes, removeItems, withGroupContents } from "./edits";
import type { Workflow } from "./workflow";
import { newWorkflow, nodeById } from "./workflow";

function two(): Workflow {
  return connectPorts(newWorkflow("trip"), "start", "end");
}

describe("groups", () => {
  const framed = () => groupNodes(two(), new Set(["start"])).workflow;

  it("gain nodes that are dropped on them, and lose nodes that are dragged out", () => {
    const inside = dropNodes(framed(), new Map([["end", { x: 20, y: 10 }]]));
    expect(nodeById(inside, "end")?.parentId).toBe("group");
    const frame = nodeById(inside, "group")!.position!;
    const out = dropNodes(inside, new Map([["end", { x: 900 - frame.x, y: 0 }]]));
    expect(nodeById(out, "end")).toMatchObject({ position: { x: 900, y: frame.y } });
    expect(nodeById(out, "end")?.parentId).toBeUndefined();
  });

  it("keep members that move with them", () => {
    const moved = dropNodes(
      framed(),
      new Map([
        ["group", { x: 1_000, y: 0 }],
        ["start", { x: 40, y: 74 }],
      ]),
    );
    expect(nodeById(moved, "start")?.parentId).toBe("group");
  });

  it("are deleted alone or with their members", () => {
    const workflow = framed();
    expect(removeItems(workflow, new Set(["group"])).nodes.map(({ id }) => id)).toEqual(["start", "end"]);
    expect(
      removeItems(workflow, withGroupContents(workflow, new Set(["group"]))).nodes.map(({ id }) => id),
    ).toEqual(["end"]);
    expect(groupAt(workflow, { x: 5_000, y: 0 })).toBeNull();
  });
});
