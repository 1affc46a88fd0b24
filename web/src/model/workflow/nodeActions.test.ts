import { expect, test } from "vitest";
import { canBeDisabled, isDisabledNode, toggleDisabled } from "./nodeActions";
import { newWorkflow } from "./workflow";

const sort = {
  id: "sort",
  type: "FLOW",
  name: "Sort",
  data: { subtype: "SORT", configurations: { field: "a" } },
};

test("a node is disabled and enabled again without losing its settings", () => {
  const workflow = { ...newWorkflow("w"), nodes: [...newWorkflow("w").nodes, sort] };
  const disabled = toggleDisabled(workflow, "sort");
  expect(isDisabledNode(disabled, "sort")).toBe(true);
  expect(toggleDisabled(disabled, "sort").nodes.at(-1)).toEqual(sort);
  expect(canBeDisabled(workflow, "sort")).toBe(true);
  expect(canBeDisabled(workflow, "start")).toBe(false);
});
