/** Prompts insert values by name or path; they do not compute. */

const BRACES = /\{\{([^{}\n]*)\}\}/g;
/** A name, or a path such as `nodes['node-2'].output[0]`, as the service reads it. */
const PATH =
  /^[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_.-]*(?:(?:\[(?:\d+|'[^']*'|"[^"]*")\]|\(\))[\p{L}\p{M}\p{N}_.-]*)*$/u;

/** The first part in braces that a prompt keeps as it is written; null if there is none. */
export function keptAsText(prompt: string): string | null {
  for (const [whole, inner] of prompt.matchAll(BRACES)) {
    const text = inner!.trim();
    if (text !== "" && !PATH.test(text)) return whole;
  }
  return null;
}
