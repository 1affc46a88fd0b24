import { beforeEach, describe, expect, it, vi } from "vitest";
import { BUILT_IN_STEPS, specsByRef } from "../model/workflow/catalog";
import { newWorkflow } from "../model/workflow/workflow";
import { Editor } from "./editor";
import { addEntry } from "./nodeInsertion";

// The API client reads the address of the page when it is loaded.
vi.hoisted(() => vi.stubGlobal("window", { location: { origin: "http://localhost" } }));

const specs = specsByRef([]);
const prompt = BUILT_IN_STEPS.find(({ ref }) => ref === "prompt")!;
const edges = ({ document }: Editor) => document.workflow.connections.map(({ from, to }) => `${from} ${to}`);

describe("a node that is added while the end is selected", () => {
  let editor: Editor;
  beforeEach(() => {
    editor = new Editor({ workflow: newWorkflow("w") });
    editor.document.select(["end"]);
  });

  it("is the first step of an empty workflow", () => {
    const id = addEntry(editor, prompt, specs);
    expect(edges(editor)).toEqual([`start ${id}`, `${id} end`]);
  });

  it("comes before the end, if one connection leads to it", () => {
    const first = addEntry(editor, prompt, specs);
    editor.document.select(["end"]);
    const second = addEntry(editor, prompt, specs);
    expect(edges(editor).toSorted()).toEqual(
      [`start ${first}`, `${first} ${second}`, `${second} end`].toSorted(),
    );
  });
});
