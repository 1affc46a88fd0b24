/** What a tool said in text beside its structured content, from the blocks of an event. */

import { safeText } from "../text/untrusted";
import type { JsonObject } from "../workflow/workflow";

export function toolTextOf(blocks: unknown): string | undefined {
  if (!Array.isArray(blocks)) return undefined;
  const texts = blocks.map((block) => (block as JsonObject)["text"]);
  const text = texts.filter((one) => typeof one === "string").join("\n");
  return text ? safeText(text).text : undefined;
}
