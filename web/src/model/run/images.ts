/** The images in a value, as JSON pointers; the service returns their data. */

import { pointerOf } from "../form/values";

const IMAGE_TYPES: ReadonlySet<unknown> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const MAX_IMAGES = 8;
const MAX_DEPTH = 12;

export function imagePointers(value: unknown): string[] {
  const pointers: string[] = [];
  walk(value, [], pointers);
  return pointers;
}

function walk(value: unknown, path: (string | number)[], pointers: string[]): void {
  if (pointers.length >= MAX_IMAGES || path.length > MAX_DEPTH || typeof value !== "object" || value === null)
    return;
  if (Array.isArray(value)) {
    value.slice(0, 200).forEach((item, at) => walk(item, [...path, at], pointers));
    return;
  }
  const object = value as Record<string, unknown>;
  if (IMAGE_TYPES.has(object["mimeType"]) && typeof object["data"] === "string")
    pointers.push(pointerOf(path));
  else for (const [name, item] of Object.entries(object).slice(0, 200)) walk(item, [...path, name], pointers);
}
