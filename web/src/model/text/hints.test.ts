import { describe, expect, it } from "vitest";
import { hintParts, hintText } from "./hints";

describe("a hint in the studio", () => {
  it.each([
    ["store one: `toolweave services add github`", "store one: Credentials"],
    ["run `toolweave servers approve notes` to review it", "open notes to review it"],
    ["`toolweave runs list` shows them", "Runs shows them"],
    ["store it with `toolweave secrets set NAME` and use it", "store it in Credentials and use it"],
    ["`toolweave runs show 12ab` shows what happened", "the run shows what happened"],
    ["run `toolweave servers add NAME -- COMMAND`, then approve it", "open Servers, then approve it"],
    ["`toolweave mock` serves its tools", "`toolweave mock` serves its tools"],
    ["`toolweave constructor x`", "`toolweave constructor x`"],
    ["`toolweave validate --live` asks the server", "Check now asks the server"],
    ["run `toolweave validate` for details", "run `toolweave validate` for details"],
    ["enter a number", "enter a number"],
  ])("says %s in the words of the page", (hint, shown) => expect(hintText(hint)).toBe(shown));

  it("links to the page, and hides nothing in it", () => {
    expect(hintParts("run `toolweave servers check 'a b'` \u202enow")).toEqual([
      { text: "open " },
      { text: "Servers", href: "#/servers" },
      { text: " ⟦U+202E⟧now" },
    ]);
    expect(hintParts("`toolweave runs show 12ab` shows it")[0]).toEqual({
      text: "the run",
      href: "#/runs/12ab",
    });
  });
});
