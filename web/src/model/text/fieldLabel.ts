/** A label for people from the name of a field: `webhook_path` is "Webhook path". */

const ACRONYMS: ReadonlySet<string> = new Set([
  ...["ai", "api", "aws", "bcc", "cc", "cpu", "css", "csv", "dns", "ftp", "gb", "gcp", "html", "http"],
  ...["https", "id", "imap", "io", "ip", "jql", "json", "jwt", "kb", "mb", "mcp", "ms", "pdf", "pr", "rss"],
  ...["sdk", "sha", "sku", "smtp", "soql", "sql", "ssh", "ssl", "tls", "ui", "uri", "url", "utc", "uuid"],
  ...["xml", "yaml"],
]);

const SPELLINGS: Readonly<Record<string, string>> = {
  github: "GitHub",
  gitlab: "GitLab",
  ids: "IDs",
  oauth: "OAuth",
  openai: "OpenAI",
  prs: "PRs",
  urls: "URLs",
};

export function fieldLabel(name: string): string {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(/[\s_-]+/)
    .filter((word) => word !== "");
  // A name without letters or words, such as the number of a list item, stays as it is.
  if (words.length === 0 || !/^[\p{L}][\p{L}\d _-]*$/u.test(name)) return name;
  return words.map((word, at) => wordOf(word, at === 0)).join(" ");
}

function wordOf(word: string, isFirst: boolean): string {
  const lower = word.toLowerCase();
  if (SPELLINGS[lower]) return SPELLINGS[lower];
  if (ACRONYMS.has(lower)) return lower.toUpperCase();
  // A word in capitals is an acronym of the author.
  if (word.length > 1 && word === word.toUpperCase()) return word;
  return isFirst ? lower[0]!.toUpperCase() + lower.slice(1) : lower;
}
