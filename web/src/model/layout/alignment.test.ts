import { describe, expect, it } from "vitest";
import { align } from "./alignment";

const other = { x: 100, y: 207, width: 240, height: 66 };

describe("align", () => {
  it("moves a box onto the nearest edge or centre and shows the line", () => {
    const { x, y, guides } = align({ x: 500, y: 210, width: 240, height: 66 }, [other], 6);
    expect([x, y]).toEqual([500, 207]);
    expect(guides).toEqual([{ axis: "y", at: 207, from: 100, to: 740 }]);
  });

  it("aligns centres of boxes of different size, on both axes", () => {
    const { x, y, guides } = align({ x: 158, y: 300, width: 120, height: 66 }, [other], 6);
    expect([x, y]).toEqual([160, 300]);
    expect(guides.map(({ axis, at }) => [axis, at])).toEqual([["x", 220]]);
  });

  it("leaves a box alone that is near nothing", () => {
    expect(align({ x: 900, y: 900, width: 10, height: 10 }, [other], 6)).toEqual({
      x: 900,
      y: 900,
      guides: [],
    });
  });
});
