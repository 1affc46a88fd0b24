import { describe, expect, it } from "vitest";
import type { Command } from "./commands";
import { commandFor, commandStore, registerCommands, formatKeys, keyCombination } from "./commands";

const press = (key: string) => ({ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false });
const named = (id: string, more: Partial<Command> = {}): Command => ({
  id,
  title: id,
  run: () => {},
  ...more,
});

describe("shortcuts", () => {
  it("depend on where the focus is", () => {
    const stop = registerCommands([
      named("walk", { keys: "arrowdown", at: "canvas" }),
      named("set", { keys: "enter", at: "node" }),
      named("add", { keys: "a" }),
    ]);
    const found = (key: string) =>
      (["canvas", "page", "panel", "field"] as const).map((where) => commandFor(press(key), where)?.id);
    expect(found("ArrowDown")).toEqual(["walk", "walk", undefined, undefined]);
    expect(found("Enter")).toEqual(["set", undefined, undefined, undefined]);
    expect(found("a")).toEqual(["add", "add", "add", undefined]);
    commandStore.setState({ hasLetterKeys: false });
    expect(found("a")).toEqual([undefined, undefined, undefined, undefined]);
    expect(found("ArrowDown")[0]).toBe("walk");
    commandStore.setState({ hasLetterKeys: true });
    stop();
  });

  it("are found by their key combination, in fields only if they are meant for fields", () => {
    const pressed = { key: "Z", ctrlKey: true, metaKey: false, shiftKey: true, altKey: false };
    expect(keyCombination(pressed)).toBe("mod+shift+z");
    expect(formatKeys("mod+shift+z mod+y")).toBe("Ctrl Shift Z");
    const stop = registerCommands([{ id: "redo", title: "Redo", keys: "mod+shift+z", run: () => {} }]);
    expect(commandFor(pressed, "page")?.id).toBe("redo");
    expect(commandFor(pressed, "field")).toBeUndefined();
    stop();
    expect(commandFor(pressed, "page")).toBeUndefined();
  });
});
