import { expect, test } from "vitest";
import { fieldLabel } from "./fieldLabel";

test.each([
  ["method", "Method"],
  ["webhook_path", "Webhook path"],
  ["baseUrl", "Base URL"],
  ["api_key", "API key"],
  ["github_token", "GitHub token"],
  ["HTTPStatus", "HTTP status"],
  ["user-ids", "User IDs"],
  ["q", "Q"],
  ["SKU", "SKU"],
  ["größe_m", "Größe m"],
  // Names that are no words stay as they are.
  ["0", "0"],
  ["$filter", "$filter"],
  ["a.b", "a.b"],
  ["X-Trace", "X trace"],
  ["", ""],
])("%s is shown as %s", (name, label) => {
  expect(fieldLabel(name)).toBe(label);
});
