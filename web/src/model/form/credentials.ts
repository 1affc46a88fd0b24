/** Which stored credential a secret field can use, and how a field refers to it. */

/** `${vault:NAME}`: the name; null for anything else. */
export function credentialIn(value: unknown): string | null {
  const match = typeof value === "string" ? /^\$\{vault:([^{}]+)\}$/.exec(value.trim()) : null;
  return match ? match[1]! : null;
}

export function credentialReference(name: string): string {
  return `\${vault:${name}}`;
}

/** The service that a node belongs to, by its type: `EXTERNAL_ACTION.GITHUB` is `github`. */
export function serviceOfNode(ref: string, kinds: readonly string[]): string | null {
  const subtype = (ref.split(".")[1] ?? "").toLowerCase();
  const own = kinds.filter((kind) => subtype === kind || subtype.startsWith(`${kind}_`));
  return own.toSorted((a, b) => b.length - a.length)[0] ?? null;
}

/** The service whose token a field holds; none for a secret that its callers sign requests with. */
export function serviceOfField(ref: string, pointer: string, kinds: readonly string[]): string | null {
  return /(webhook|signing)_secret$/.test(pointer) ? null : serviceOfNode(ref, kinds);
}

/** A name that no credential has: `github`, then `github-2`. */
export function unusedName(base: string, taken: readonly string[]): string {
  if (!taken.includes(base)) return base;
  for (let number = 2; ; number += 1) if (!taken.includes(`${base}-${number}`)) return `${base}-${number}`;
}

/** What the vault accepts as a name. */
export function nameFault(name: string): string | null {
  if (name === "") return null;
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/.test(name) ? null : "Use letters, digits and _ . -";
}
