/** What a template needs before it can run: a model, accounts of services, tools of servers. */

import { humanize } from "./catalog";

export interface TemplateNeeds {
  needsModel: boolean;
  /** Names of services, as in `Slack`. */
  services: string[];
  /** Names of MCP servers. */
  servers: string[];
}

const SERVICES = "SLACK|GITHUB|NOTION|GOOGLE_CALENDAR|FIRECRAWL|DISCORD|TELEGRAM|GMAIL|OUTLOOK|EMAIL";
const SERVICE = new RegExp(`^(?:EXTERNAL_ACTION|TRIGGER|TOOL)\\.(${SERVICES})`);

export function templateNeeds(nodes: readonly string[]): TemplateNeeds {
  return {
    needsModel: nodes.some((ref) => ref.startsWith("AI_AGENT.")),
    services: matches(nodes, SERVICE).map(humanize),
    servers: matches(nodes, /^TOOL\.MCP:([^/]+)\//),
  };
}

function matches(nodes: readonly string[], pattern: RegExp): string[] {
  return [...new Set(nodes.flatMap((ref) => pattern.exec(ref)?.[1] ?? []))];
}

/** What is set up here. */
export interface Available {
  hasModel: boolean;
  /** Names and kinds of credentials and secrets, in lower case. */
  credentials: readonly string[];
  servers: ReadonlySet<string>;
}

/** What is missing, in words, and the page where it is added. */
export interface MissingNeed {
  title: string;
  page: readonly [string, ...string[]];
}

/** What is missing for a template to run; nothing if it can run at once. */
export function missingFor(needs: TemplateNeeds, available: Available): MissingNeed[] {
  const at =
    (...page: [string, ...string[]]) =>
    (title: string) => ({ title, page });
  const hasCredential = (service: string) =>
    available.credentials.some((name) => name.includes(service.toLowerCase().split(" ")[0]!));
  return [
    ...(needs.needsModel && !available.hasModel ? [at("manage", "models")("a model")] : []),
    ...needs.services.filter((service) => !hasCredential(service)).map(at("credentials")),
    ...needs.servers.filter((server) => !available.servers.has(server)).map(at("servers")),
  ];
}

/** Templates to suggest: those that run here first, of these the ones with connected tools, then simple ones. */
export function bestTemplates<T extends { nodes: readonly string[] }>(
  templates: readonly T[],
  available: Available,
): T[] {
  const rank = ({ nodes }: T): readonly number[] => {
    const needs = templateNeeds(nodes);
    const isManual = nodes.includes("TRIGGER.MANUAL");
    return [missingFor(needs, available).length, -needs.servers.length, isManual ? 0 : 1, nodes.length];
  };
  const ranked = templates.map((template) => ({ template, rank: rank(template) }));
  ranked.sort((a, b) => a.rank.map((one, at) => one - b.rank[at]!).find((one) => one !== 0) ?? 0);
  return ranked.map(({ template }) => template);
}
