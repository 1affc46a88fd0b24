/** The definition of a server, from a form to the JSON that MCP clients use. */

export interface DefinitionForm {
  name: string;
  /** A command line, or an address. */
  target: string;
  /** One NAME=value per line. */
  pairs: string;
}

export class DefinitionError extends Error {}

/** Splits a command line at unquoted spaces; it is never passed to a shell. */
export function splitCommand(line: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < line.length; at++) {
    const letter = line[at]!;
    if (letter === "\\" && quote !== "'" && at + 1 < line.length) word = (word ?? "") + line[++at]!;
    else if (quote !== null) {
      if (letter === quote) quote = null;
      else word += letter;
    } else if (letter === '"' || letter === "'") {
      quote = letter;
      word ??= "";
    } else if (/\s/.test(letter)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + letter;
  }
  if (quote !== null) throw new DefinitionError(`The quote ${quote} is not closed.`);
  if (word !== null) words.push(word);
  return words;
}

/** NAME=value lines as an object; undefined if there are none. */
export function parsePairs(text: string): Record<string, string> | undefined {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const wrong = lines.find((line) => !/^[^=\s]+=/.test(line));
  if (wrong !== undefined) throw new DefinitionError(`"${wrong}" is not of the form NAME=value.`);
  if (lines.length === 0) return undefined;
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}

/** A server that is started by a command. */
export function commandDefinition({ name, target, pairs }: DefinitionForm): string {
  const [command, ...args] = splitCommand(target);
  if (command === undefined) throw new DefinitionError("Enter the command that starts the server.");
  return serverJson(name, { command, args, env: parsePairs(pairs) });
}

/** A server that is reached at an address. */
export function addressDefinition({ name, target, pairs }: DefinitionForm, isSse: boolean): string {
  const url = target.trim();
  if (!/^https?:\/\/\S+$/.test(url))
    throw new DefinitionError("Enter an address that begins with https:// or http://.");
  return serverJson(name, { type: isSse ? "sse" : "http", url, headers: parsePairs(pairs) });
}

function serverJson(name: string, entry: object): string {
  if (name.trim() === "") throw new DefinitionError("Enter a name for the server.");
  return JSON.stringify({ mcpServers: { [name.trim()]: entry } });
}
