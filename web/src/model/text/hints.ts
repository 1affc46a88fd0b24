/** Hints name commands of the terminal; in the studio they link to the page that does the same. */

import type { SafeText } from "./untrusted";
import { safeText } from "./untrusted";

/** A part of a hint, safe to display; a link if it has an address. */
export interface HintPart {
  text: string;
  href?: string;
}

const PAGES: Readonly<Record<string, Required<HintPart> | undefined>> = {
  doctor: { text: "System check", href: "#/manage/settings" },
  inbox: { text: "Inbox", href: "#/inbox" },
  keys: { text: "API keys", href: "#/manage/keys" },
  library: { text: "Libraries", href: "#/manage/library" },
  models: { text: "Models", href: "#/manage/models" },
  published: { text: "Published", href: "#/manage/published" },
  runs: { text: "Runs", href: "#/runs" },
  secrets: { text: "Credentials", href: "#/credentials" },
  servers: { text: "Servers", href: "#/servers" },
  services: { text: "Credentials", href: "#/credentials" },
  triggers: { text: "Triggers", href: "#/triggers" },
  workflows: { text: "Workflows", href: "#/" },
};

const COMMAND = /(\b(?:run|with) )?`toolweave ([a-z]+)((?: [^`]*)?)`/g;
const NAME = /^[\w.-]+$/;
const PLACEHOLDER = /^[A-Z]+$/;

/** The parts of a hint: text, and links in place of commands that a page does as well. */
export function hintParts(hint: string): HintPart[] {
  const parts: HintPart[] = [];
  let end = 0;
  for (const match of hint.matchAll(COMMAND)) {
    const link = linkOf(match[2]!, match[3]!);
    if (!link) continue;
    const before = hint.slice(end, match.index);
    end = match.index + match[0].length;
    parts.push({ text: before + lead(before, match[1], hint.slice(end)) }, link);
  }
  parts.push({ text: hint.slice(end) });
  return parts.filter(({ text }) => text !== "").map((part) => ({ ...part, text: safeText(part.text).text }));
}

/** What stands before the page: "run …" is "open …", "with …" is "in …", "… shows" stays. */
function lead(before: string, verb: string | undefined, after: string): string {
  if (verb === "with ") return "in ";
  const isSubject = /^ [a-z]+s\b/.test(after);
  return verb === undefined && (isSubject || before.trimEnd().endsWith(":")) ? "" : "open ";
}

function linkOf(command: string, rest: string): Required<HintPart> | undefined {
  // The tools of a server are listed again on its page.
  if (command === "validate" && rest === " --live") return { text: "Check now", href: "#/servers" };
  const page = Object.hasOwn(PAGES, command) ? PAGES[command] : undefined;
  const [, , name = ""] = rest.split(" ");
  const hasPages = command === "servers" || command === "runs";
  if (!page || !hasPages || !NAME.test(name) || PLACEHOLDER.test(name)) return page;
  return { text: command === "runs" ? "the run" : name, href: `${page.href}/${name}` };
}

/** A hint as one text, where no link can be shown. */
export const hintText = (hint: string): string =>
  hintParts(hint)
    .map(({ text }) => text)
    .join("");

interface Fault {
  message: string;
  hint?: string | null | undefined;
  code: string;
}

/** Why something failed, safe to display. */
export function shownFault({ message, hint, code }: Fault): {
  message: SafeText;
  hint: HintPart[];
  code: string;
} {
  return { message: safeText(message), hint: hint ? hintParts(hint) : [], code };
}
