/** The icon of a kind of node; kinds without one have the icon of their family. */

const ICONS: Readonly<Record<string, string>> = {
  "FLOW.LOOP": "again",
  "FLOW.FOR_EACH": "again",
  "FLOW.FILTER": "filter",
  "FLOW.SORT": "sort",
  "FLOW.MERGE": "merge",
  "FLOW.SPLIT": "split",
  "FLOW.DELAY": "clock",
  "FLOW.WAIT": "clock",
  "FLOW.TIMEOUT": "clock",
  "FLOW.STOP": "stop",
  "FLOW.SUBWORKFLOW": "nested",
  "ACTION.HTTP_REQUEST": "globe",
  "ACTION.WEB_SEARCH": "search",
  "ACTION.FILE_READ": "file",
  "ACTION.FILE_WRITE": "file",
  "ACTION.DATABASE_QUERY": "memory",
  "ACTION.RUN_COMMAND": "terminal",
  "ACTION.PARSE": "braces",
  "ACTION.SET_FIELDS": "pencil",
  "TRIGGER.CRON": "clock",
  "TRIGGER.SCHEDULE": "clock",
  "TRIGGER.WEBHOOK": "link",
  "TRIGGER.MANUAL": "play",
  "TRIGGER.FILE_WATCH": "file",
  "TRIGGER.WORKFLOW_FAILED": "alert",
  "AI_AGENT.CLASSIFY": "tag",
  "AI_AGENT.EXTRACT": "braces",
  "HUMAN_IN_THE_LOOP.FORM": "list",
  start: "play",
};

const BRANDS: readonly (readonly [RegExp, string])[] = [
  [/GITHUB/, "github"],
  [/GMAIL/, "gmail"],
  [/GOOGLE_CALENDAR/, "googleCalendar"],
  [/NOTION/, "notion"],
  [/DISCORD/, "discord"],
  [/TELEGRAM/, "telegram"],
  [/CLAUDE/, "claude"],
  [/GEMINI/, "gemini"],
];
const GENERIC_SERVICES: readonly (readonly [RegExp, string])[] = [
  [/EMAIL|OUTLOOK/, "mail"],
  [/SLACK/, "hash"],
  [/CALENDAR/, "calendar"],
];

/** The name of a logo, or of an icon; null for the icon of the family. */
export function kindIcon(ref: string): { brand: string } | { icon: string } | null {
  const icon = ICONS[ref];
  if (icon) return { icon };
  const brand = BRANDS.find(([pattern]) => pattern.test(ref));
  if (brand) return { brand: brand[1] };
  const generic = GENERIC_SERVICES.find(([pattern]) => pattern.test(ref));
  return generic ? { icon: generic[1] } : null;
}

const MONOGRAM_HUES = 8;

/** The first letter of a server's name and one of eight colours, so that servers can be told apart. */
export function monogram(server: string): { letter: string; hue: number } {
  const letter = /[\p{L}\p{N}]/u.exec(server)?.[0]?.toUpperCase() ?? "?";
  let hash = 0;
  for (const char of server) hash = (hash * 31 + char.codePointAt(0)!) % 65_536;
  return { letter, hue: hash % MONOGRAM_HUES };
}
