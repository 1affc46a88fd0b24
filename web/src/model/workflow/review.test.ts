import { expect, test } from "vitest";
import { reviewOf } from "./review";
import type { Workflow } from "./workflow";
import { newWorkflow } from "./workflow";

const wait = { id: "wait", type: "FLOW", name: "Wait", position: { x: 260, y: 0 }, data: { b: 1, a: [1] } };
const current: Workflow = {
  ...newWorkflow("mine"),
  nodes: [...newWorkflow("mine").nodes, wait],
  connections: [
    { id: "1", from: "start", to: "wait" },
    { id: "2", from: "wait", to: "end" },
  ],
};

test("an equal workflow in another order and place has no marks", () => {
  const moved = { ...wait, position: { x: 9, y: 9 }, data: { a: [1], b: 1 } };
  const nodes = [moved, ...current.nodes.filter(({ id }) => id !== "wait")];
  const connections = current.connections.map((one) => ({ ...one, id: `other ${one.id}`, toPort: "input" }));
  const { marks, differences } = reviewOf(current, { ...current, nodes, connections });
  expect([...marks]).toEqual([]);
  expect(differences).toEqual([]);
});

test("what is added, changed and removed is marked, and what is removed is still drawn", () => {
  const mail = { id: "mail", type: "ACTION", name: "Mail", data: {} };
  const end = { ...current.nodes.find(({ id }) => id === "end")!, name: "Done" };
  const start = current.nodes.find(({ id }) => id === "start")!;
  const proposed: Workflow = {
    ...current,
    nodes: [start, mail, end],
    connections: [
      { id: "1", from: "start", to: "mail" },
      { id: "2", from: "mail", to: "end" },
    ],
  };
  const { marks, drawing, differences } = reviewOf(current, proposed);
  expect(Object.fromEntries(marks)).toEqual({
    mail: "added",
    end: "changed",
    wait: "removed",
    "1": "added",
    "2": "added",
    "removed 1": "removed",
    "removed 2": "removed",
  });
  expect(drawing.nodes.map(({ id }) => id)).toEqual(["start", "mail", "end", "wait"]);
  expect(differences.map(({ kind, what }) => `${kind} ${what}`)).toContain("removed node Wait");
});
