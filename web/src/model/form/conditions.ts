/** Conditions as rows of field, operator and value, joined by AND or OR; read from and written as expressions. */

export type Operator =
  | "=="
  | "!="
  | ">"
  | ">="
  | "<"
  | "<="
  | "contains"
  | "!contains"
  | "startsWith"
  | "endsWith"
  | "matches"
  | "in"
  | "true"
  | "false"
  | "has"
  | "!has"
  | "empty"
  | "!empty";

export const OPERATOR_TITLES: Readonly<Record<Operator, string>> = {
  "==": "is",
  "!=": "is not",
  ">": "is greater than",
  ">=": "is at least",
  "<": "is less than",
  "<=": "is at most",
  contains: "contains",
  "!contains": "does not contain",
  startsWith: "starts with",
  endsWith: "ends with",
  matches: "matches the pattern",
  in: "is in the list",
  true: "is true",
  false: "is false",
  has: "exists",
  "!has": "does not exist",
  empty: "is empty",
  "!empty": "is not empty",
};

/** Operators that need no value. */
export const UNARY: ReadonlySet<Operator> = new Set<Operator>([
  "true",
  "false",
  "has",
  "!has",
  "empty",
  "!empty",
]);

/** A literal or the name of another value; numbers keep their spelling. */
export type Operand = { kind: "text"; text: string } | { kind: "other"; text: string };

export interface ConditionRow {
  field: string;
  operator: Operator;
  value: Operand;
}

export interface ConditionGroup {
  join: "and" | "or";
  items: readonly (ConditionRow | ConditionGroup)[];
}

export type ParsedCondition = { group: ConditionGroup } | { reason: string };

export const EMPTY_ROW: ConditionRow = { field: "", operator: "==", value: { kind: "text", text: "" } };

export function isGroup(item: ConditionRow | ConditionGroup): item is ConditionGroup {
  return "join" in item;
}

const ORDERED: ReadonlySet<Operator> = new Set<Operator>([">", ">=", "<", "<="]);
const TYPED_NUMBER = /^-?\d+(\.\d+)?$/;

/** A number that is typed as a text, where only a number can be compared. */
export function asTyped(row: ConditionRow, type: string | undefined): ConditionRow {
  const { value, operator } = row;
  const isNumber =
    (ORDERED.has(operator) || NUMBER_TYPES.has(type ?? "")) && TYPED_NUMBER.test(value.text.trim());
  const isTruth = type === "boolean" && /^(true|false)$/.test(value.text.trim());
  return value.kind === "text" && (isNumber || isTruth)
    ? { ...row, value: { ...value, kind: "other" } }
    : row;
}

/** A row whose field has just been chosen: a value that is still to be entered is of its type. */
export function withKind(row: ConditionRow, type: string | undefined): ConditionRow {
  const isText = !NUMBER_TYPES.has(type ?? "") && type !== "boolean";
  if (isText || row.value.text !== "") return asTyped(row, type);
  return { ...row, value: { kind: "other", text: "" } };
}

/** Whether a text is a number or a truth value as a whole. */
export function isTyped(text: string): boolean {
  return TYPED_NUMBER.test(text.trim()) || /^(true|false)$/.test(text.trim());
}

/** Whether a row lacks what its operator compares with. */
export function lacksValue(group: ConditionGroup): boolean {
  return group.items.some((item) => {
    if (isGroup(item)) return lacksValue(item);
    const { field, operator, value } = item;
    const isNeeded = field.trim() !== "" && !UNARY.has(operator);
    return isNeeded && value.text.trim() === "" && (value.kind === "other" || ORDERED.has(operator));
  });
}

const NUMBER_TYPES: ReadonlySet<string> = new Set(["number", "integer", "int", "double"]);

/** Reads an expression; says why if rows cannot show it. */
export function parseCondition(text: string): ParsedCondition {
  if (text.trim() === "") return { group: { join: "and", items: [] } };
  try {
    const parser = new Parser(tokenize(text));
    const item = parser.or();
    parser.end();
    const group: ConditionGroup = isGroup(item) ? item : { join: "and", items: [item] };
    if (group.items.some((inner) => isGroup(inner) && inner.items.some(isGroup)))
      return { reason: "its groups are nested too deeply" };
    return { group };
  } catch (error) {
    return { reason: error instanceof Unreadable ? error.message : String(error) };
  }
}

/** The expression of rows; rows without a field are left out. */
export function printCondition(group: ConditionGroup): string {
  return group.items
    .map((item) => (isGroup(item) ? printInner(item, group.join) : printRow(item)))
    .filter((text) => text !== "")
    .join(group.join === "and" ? " && " : " || ");
}

function printInner(group: ConditionGroup, outer: ConditionGroup["join"]): string {
  const text = printCondition(group);
  const isMixed = group.items.length > 1 && text !== "";
  return isMixed && group.join !== outer ? `(${text})` : text;
}

export function printRow({ field, operator, value }: ConditionRow): string {
  const path = field.trim();
  if (path === "") return "";
  const operand = value.kind === "text" ? JSON.stringify(value.text) : value.text.trim() || "null";
  switch (operator) {
    case "true":
      return path;
    case "false":
      return `!${path}`;
    case "has":
      return `has(${path})`;
    case "!has":
      return `!has(${path})`;
    case "empty":
      return `size(${path}) == 0`;
    case "!empty":
      return `size(${path}) > 0`;
    case "in":
      return `${path} in ${operand}`;
    case "!contains":
      return `!${path}.contains(${operand})`;
    case "contains":
    case "startsWith":
    case "endsWith":
    case "matches":
      return `${path}.${operator}(${operand})`;
    default:
      return `${path} ${operator} ${operand}`;
  }
}

/** Whether a text is a name such as `data.days[0].high`. */
export function isPath(text: string): boolean {
  try {
    const parser = new Parser(tokenize(text));
    parser.path();
    parser.end();
    return true;
  } catch {
    return false;
  }
}

class Unreadable extends Error {}

interface Token {
  kind: "name" | "number" | "text" | "sign";
  text: string;
}

const NAME = /([A-Za-z_][A-Za-z0-9_]*)/;
const NUMBER = /(-?(?:\d+\.?\d*(?:[eE][-+]?\d+)?))/;
const LITERAL = /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/;
const SIGN = /(&&|\|\||==|!=|<=|>=|[<>!()[\].,])/;
const TOKEN = new RegExp(
  `\\s*(?:${[NAME, NUMBER, LITERAL, SIGN].map(({ source }) => source).join("|")})`,
  "y",
);

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) throw new Unreadable(`it uses “${text.slice(at).trim()[0]}”`);
    const [, name, number, literal, sign] = match;
    tokens.push(
      name !== undefined
        ? { kind: "name", text: name }
        : number !== undefined
          ? { kind: "number", text: number }
          : literal !== undefined
            ? { kind: "text", text: literal }
            : { kind: "sign", text: sign! },
    );
  }
  return tokens;
}

/** Reads JSON in a text: part of the names of the values in it. */
const PARSING = "parseJson";
const METHODS: ReadonlySet<string> = new Set(["contains", "startsWith", "endsWith", "matches"]);
const COMPARISONS: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">="]);
const CONSTANTS: ReadonlySet<string> = new Set(["true", "false", "null"]);
const NO_VALUE: Operand = { kind: "text", text: "" };

type Item = ConditionRow | ConditionGroup;

class Parser {
  private at = 0;
  constructor(private readonly tokens: readonly Token[]) {}

  or(): Item {
    return this.joined("or", "||", () => this.joined("and", "&&", () => this.term()));
  }

  end(): void {
    if (this.at < this.tokens.length) throw new Unreadable(`it uses “${this.tokens[this.at]!.text}”`);
  }

  private joined(join: ConditionGroup["join"], sign: string, next: () => Item): Item {
    const items = [next()];
    while (this.take(sign)) items.push(next());
    return items.length === 1 ? items[0]! : { join, items };
  }

  private term(): Item {
    if (this.take("(")) {
      const inner = this.or();
      this.expect(")");
      if (COMPARISONS.has(this.peek()?.text ?? "")) throw new Unreadable("it compares a condition");
      return inner;
    }
    if (this.take("!")) return this.negated();
    if (this.isCall("has")) return { field: this.callArgument(), operator: "has", value: NO_VALUE };
    if (this.isCall("size")) return this.size();
    return this.comparison();
  }

  private negated(): ConditionRow {
    if (this.isCall("has")) return { field: this.callArgument(), operator: "!has", value: NO_VALUE };
    const row = this.comparison(true);
    if (row.operator === "contains") return { ...row, operator: "!contains" };
    if (row.operator === "true") return { ...row, operator: "false" };
    throw new Unreadable("it negates a comparison");
  }

  private size(): ConditionRow {
    const field = this.callArgument();
    const sign = this.peek()?.text;
    const isZero = this.tokens[this.at + 1]?.text === "0";
    if ((sign !== "==" && sign !== ">") || !isZero) throw new Unreadable("it compares a size");
    this.at += 2;
    return { field, operator: sign === "==" ? "empty" : "!empty", value: NO_VALUE };
  }

  private comparison(isNegated = false): ConditionRow {
    const field = this.path();
    const method = this.method();
    if (method) return { field, ...method };
    const sign = this.peek();
    if (!isNegated && sign?.kind === "sign" && COMPARISONS.has(sign.text)) {
      this.at += 1;
      return { field, operator: sign.text as Operator, value: this.operand() };
    }
    if (!isNegated && this.take("in")) return { field, operator: "in", value: this.list() };
    return { field, operator: "true", value: NO_VALUE };
  }

  private method(): Pick<ConditionRow, "operator" | "value"> | null {
    const [dot, name, open] = this.tokens.slice(this.at, this.at + 3);
    if (dot?.text !== "." || open?.text !== "(" || name?.kind !== "name") return null;
    if (!METHODS.has(name.text)) throw new Unreadable(`it calls ${name.text}()`);
    this.at += 3;
    const value = this.operand();
    this.expect(")");
    return { operator: name.text as Operator, value };
  }

  private operand(): Operand {
    const token = this.peek();
    if (token?.kind === "text") {
      this.at += 1;
      return { kind: "text", text: unquote(token.text) };
    }
    if (token?.kind === "number" || (token && CONSTANTS.has(token.text))) {
      this.at += 1;
      return { kind: "other", text: token.text };
    }
    return { kind: "other", text: this.path() };
  }

  /** A list of literals, or the name of one. */
  private list(): Operand {
    if (!this.take("[")) return { kind: "other", text: this.path() };
    const items: string[] = [];
    while (!this.take("]")) {
      if (items.length > 0) this.expect(",");
      const item = this.operand();
      items.push(item.kind === "text" ? JSON.stringify(item.text) : item.text);
    }
    return { kind: "other", text: `[${items.join(", ")}]` };
  }

  path(): string {
    const first = this.peek();
    if (first?.kind !== "name" || CONSTANTS.has(first.text) || first.text === "in")
      throw new Unreadable(first ? `it starts with “${first.text}”` : "it is not complete");
    this.at += 1;
    if (this.peek()?.text === "(") throw new Unreadable(`it calls ${first.text}()`);
    let path = first.text;
    for (;;) {
      const [next, member, after] = this.tokens.slice(this.at, this.at + 3);
      if (next?.text === "." && member?.text === PARSING && after?.text === "(") {
        if (this.tokens[this.at + 3]?.text !== ")") throw new Unreadable(`it calls ${PARSING}()`);
        path += `.${PARSING}()`;
        this.at += 4;
      } else if (next?.text === "." && member?.kind === "name" && after?.text !== "(") {
        path += `.${member.text}`;
        this.at += 2;
      } else if (next?.text === "[" && next.kind === "sign") {
        if (after?.text !== "]" || (member?.kind !== "number" && member?.kind !== "text"))
          throw new Unreadable("it computes an index");
        path += member.kind === "text" ? `[${JSON.stringify(unquote(member.text))}]` : `[${member.text}]`;
        this.at += 3;
      } else return path;
    }
  }

  private isCall(name: string): boolean {
    return this.peek()?.text === name && this.tokens[this.at + 1]?.text === "(";
  }

  private callArgument(): string {
    this.at += 2;
    const path = this.path();
    this.expect(")");
    return path;
  }

  private peek(): Token | undefined {
    return this.tokens[this.at];
  }

  private take(text: string): boolean {
    const token = this.peek();
    if (token?.text !== text || token.kind === "text") return false;
    this.at += 1;
    return true;
  }

  private expect(text: string): void {
    if (!this.take(text)) throw new Unreadable(`“${text}” is missing`);
  }
}

/** The text of a literal; escapes that JSON does not know are not for rows. */
function unquote(literal: string): string {
  const inner = literal.slice(1, -1);
  const asJson = literal.startsWith("'")
    ? `"${inner.replaceAll("\\'", "'").replace(/(^|[^\\])"/g, '$1\\"')}"`
    : literal;
  try {
    return JSON.parse(asJson) as string;
  } catch {
    throw new Unreadable("a text has an escape that rows cannot show");
  }
}
