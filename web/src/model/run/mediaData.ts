/** The data of a picture, sound or file that is in a value. */

import { base64Of } from "./media";

export function mediaData(value: unknown, pointer: string): Blob {
  const block = pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((found, part) => (found as Record<string, unknown> | undefined)?.[part], value);
  const object = (block ?? {}) as Record<string, unknown>;
  const data = Uint8Array.from(atob(base64Of(object) ?? ""), (char) => char.charCodeAt(0));
  return new Blob([data], { type: String(object["mimeType"] ?? "") });
}
