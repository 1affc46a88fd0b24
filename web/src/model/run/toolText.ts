/** What a tool said in text beside its structured content, from the blocks of an event. */

import { safeText } from "../text/untrusted";
import type { JsonObject } from "../workflow/workflow";

export function toolTextOf(blocks: unknown): string | undefined {
  if (!Array.isArray(blocks)) return undefined;
  const text = blocks.map((block) => textOf(block as JsonObject)).join("\n");
  return text.trim() ? safeText(text).text : undefined;
}

function textOf({ text, bytes, href }: JsonObject): string {
  if (typeof text === "string") return text;
  return typeof href === "string" ? `(${Number(bytes).toLocaleString("en")} bytes of text: ${href})` : "";
}
