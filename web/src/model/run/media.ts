/** The pictures, sounds, files and links in a value; the service returns their data. */

import type { Schemas } from "../../api/client";
import { pointerOf } from "../form/values";
import { safeText } from "../text/untrusted";

export type MediaPart = Schemas["MediaPart"];

const IMAGE_TYPES: ReadonlySet<unknown> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const AUDIO_TYPES: ReadonlySet<unknown> = new Set([
  ...["audio/mpeg", "audio/ogg", "audio/wav", "audio/x-wav", "audio/webm"],
]);
const LINK_TYPES: ReadonlySet<unknown> = new Set(["link", "resource_link"]);
const MAX_PARTS = 8;
const MAX_DEPTH = 12;

export function mediaIn(value: unknown): MediaPart[] {
  const parts: MediaPart[] = [];
  walk(value, [], parts);
  return parts;
}

function walk(value: unknown, path: (string | number)[], parts: MediaPart[]): void {
  if (parts.length >= MAX_PARTS || path.length > MAX_DEPTH || typeof value !== "object" || value === null)
    return;
  if (Array.isArray(value)) {
    value.slice(0, 200).forEach((item, at) => walk(item, [...path, at], parts));
    return;
  }
  const block = value as Record<string, unknown>;
  const part = partOf(block, pointerOf(path));
  if (part) parts.push(part);
  else
    for (const [name, item] of Object.entries(block).slice(0, 200))
      // A resource that a node read has its parts in both.
      if (name !== "contents" || !Array.isArray(block["content"])) walk(item, [...path, name], parts);
}

function partOf(block: Record<string, unknown>, at: string): MediaPart | null {
  const text = (name: string) => (typeof block[name] === "string" ? (block[name] as string) : null);
  const mimeType = text("mimeType");
  const about = { at, mimeType, uri: text("uri"), name: text("title") ?? text("name") };
  if (LINK_TYPES.has(block["type"]) && about.uri) return { ...about, kind: "link", bytes: null };
  const data = base64Of(block);
  if (!mimeType || (data === null && text("stored") === null)) return null;
  const bytes = data === null ? block["bytes"] : Math.floor((data.length * 3) / 4);
  return { ...about, kind: kindOf(mimeType), bytes: typeof bytes === "number" ? bytes : null };
}

const WEB = /^https?:\/\//i;

/** Parts as a page shows them: what a tool says of them is untrusted text. */
export function mediaViews(parts: readonly MediaPart[]) {
  return parts.map(({ at, kind, mimeType, bytes, uri, name }) => ({
    at,
    kind,
    label: safeText(name ?? (kind === "link" ? "" : (uri ?? "File"))),
    about: safeText([mimeType, bytes && `${bytes.toLocaleString("en")} bytes`].filter(Boolean).join(", "))
      .text,
    address: safeText(uri ?? "").text,
    href: uri && WEB.test(uri) ? uri : null,
    ending:
      mimeType
        ?.split(";")[0]!
        .split("/")[1]
        ?.replace(/[^a-z0-9]+/g, "-") || "bin",
  }));
}

export function base64Of(block: Record<string, unknown>): string | null {
  const data = block["data"] ?? block["blob"];
  return typeof data === "string" ? data : null;
}

function kindOf(mimeType: string): MediaPart["kind"] {
  return IMAGE_TYPES.has(mimeType) ? "image" : AUDIO_TYPES.has(mimeType) ? "audio" : "file";
}
