import { expect, test } from "vitest";
import type { PanelState } from "./panels";
import { arrangePanels } from "./panels";

const BOTH: PanelState = {
  hasPalette: true,
  side: "inspector",
  coveredSide: null,
  hasRunPanel: false,
  openNode: null,
  overlay: null,
};
const shown = ({ hasPalette, side }: PanelState) => [hasPalette, side];

test("a wide window shows the palette beside the side panel", () => {
  expect(shown(arrangePanels({ ...BOTH, hasPalette: false }, { hasPalette: true }, false))).toEqual([
    true,
    "inspector",
  ]);
});

test("in a narrow window the palette covers the side panel, which returns when it is closed", () => {
  const covered = arrangePanels({ ...BOTH, hasPalette: false, side: "json" }, { hasPalette: true }, true);
  expect(shown(covered)).toEqual([true, null]);
  expect(shown(arrangePanels(covered, { overlay: "keys" }, true))).toEqual([true, null]);
  expect(shown(arrangePanels(covered, { hasPalette: false }, true))).toEqual([false, "json"]);
  expect(shown(arrangePanels(covered, {}, false))).toEqual([true, "json"]);
});

test("in a narrow window a side panel that is opened closes the palette", () => {
  const covered = arrangePanels(BOTH, { hasPalette: true }, true);
  expect(shown(arrangePanels(covered, { side: "problems" }, true))).toEqual([false, "problems"]);
});

test("a window that gets narrower keeps the side panel", () => {
  expect(shown(arrangePanels(BOTH, {}, true))).toEqual([false, "inspector"]);
});

test("a side panel that was closed stays closed", () => {
  const closed = arrangePanels({ ...BOTH, hasPalette: false }, { side: null }, true);
  const open = arrangePanels(closed, { hasPalette: true }, true);
  expect(shown(arrangePanels(open, { hasPalette: false }, true))).toEqual([false, null]);
});
