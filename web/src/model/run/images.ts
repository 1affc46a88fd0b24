/** Where pictures are in a value, as JSON pointers; the service gives their bytes. */

import { pointerOf } from "../form/values";

const KINDS: ReadonlySet<unknown> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const MOST = 8;
const DEEPEST = 12;

export function picturesIn(value: unknown): string[] {
  const found: string[] = [];
  walk(value, [], found);
  return found;
}

function walk(value: unknown, path: (string | number)[], found: string[]): void {
  if (found.length >= MOST || path.length > DEEPEST || typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    value.slice(0, 200).forEach((one, at) => walk(one, [...path, at], found));
    return;
  }
  const held = value as Record<string, unknown>;
  if (KINDS.has(held["mimeType"]) && typeof held["data"] === "string") found.push(pointerOf(path));
  else for (const [name, one] of Object.entries(held).slice(0, 200)) walk(one, [...path, name], found);
}
