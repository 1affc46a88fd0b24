/** The data in a result of a tool: JSON that it returned as text, else the whole value. */

import type { Json } from "../workflow/workflow";

export function toolPayload(value: Json): Json {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const isToolResult = "text" in value && Array.isArray(value["content"]);
  return isToolResult && value["json"] !== undefined ? value["json"] : value;
}
