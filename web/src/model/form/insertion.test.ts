import { expect, test } from "vitest";
import { insertInJson, insertPath } from "./insertion";

test("a path is written with the braces that the field needs", () => {
  expect(insertPath("", 0, 0, "value", "data.city")).toEqual({ text: "{{ data.city }}", caret: 15 });
  expect(insertPath("In !", 3, 3, "config", "data.city").text).toBe("In {{ data.city }}!");
  expect(insertPath("In {{  }}", 6, 6, "value", "data.city").text).toBe("In {{ data.city }}");
  expect(insertPath("In ", 3, 3, "flow", "city").text).toBe("In {city}");
  expect(insertPath(" > 5", 0, 0, "own", "data.high").text).toBe("data.high > 5");
  expect(insertPath("x {{ a }} ", 10, 10, "own", "b").text).toBe("x {{ a }} {{ b }}");
  expect(insertPath("all of it", 0, 9, "value", "data").text).toBe("{{ data }}");
});

test("in JSON a path becomes a part of a text, or a text of its own", () => {
  const put = (before: string, after: string, path = "data.city") =>
    insertInJson(before + after, [before.length, before.length], "value", path).text;
  expect(put('{"a": ', "}")).toBe('{"a": "{{ data.city }}"}');
  expect(put('{"a": "in ', '"}')).toBe('{"a": "in {{ data.city }}"}');
  expect(put('{"a \\" b": "', '"}')).toBe('{"a \\" b": "{{ data.city }}"}');
  expect(put('{"a": "{{ ', ' }}"}')).toBe('{"a": "{{ data.city }}"}');
  expect(put('{"a": "', '"}', 'data["x y"]')).toBe('{"a": "{{ data[\\"x y\\"] }}"}');
});
