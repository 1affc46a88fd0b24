import { expect, test } from "vitest";
import { keptAsText } from "./promptText";

test("names and paths are inserted", () => {
  const texts = [
    "Hi {{who}}",
    "{{ data.days[0].high_c }} and {{ nodes['a-b'].output }}",
    "{{ data.text.parseJson().city }}",
    "{{ größe }} {{ trigger.client-id }} {}",
    "{{ }}",
  ];
  expect(texts.map(keptAsText)).toEqual(texts.map(() => null));
});

test("anything else is kept as text", () => {
  expect(keptAsText("{{ data.a }} {{ data.total / 2 }}")).toBe("{{ data.total / 2 }}");
  expect(keptAsText("{{ size(data) }}")).toBe("{{ size(data) }}");
});
