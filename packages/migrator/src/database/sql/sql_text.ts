import { COLLATIONS } from "@perdura/internals/sqlite/collations.js";
import { sqlName, sqlText } from "@perdura/internals/text/quoted_sql.js";

/** A list of quoted names. */
export function sqlNames(names: readonly string[]): string {
  return names.map(sqlName).join(", ");
}

/**
 * SQL that is true for the same value in the same storage class, independent of collation and affinity of the columns.
 */
export function sameValue(one: string, other: string): string {
  return `((+${one}) IS (+${other}) COLLATE BINARY AND typeof(${one}) = typeof(${other}))`;
}

/**
 * A condition that is true if one of several is. SQLite limits the depth of expressions, so many conditions become a
 * tree.
 */
export function anyOf(conditions: readonly string[]): string {
  return joined(conditions, "OR", "false");
}

/** A condition that is true if all of several are. */
export function allOf(conditions: readonly string[]): string {
  return joined(conditions, "AND", "true");
}

function joined(conditions: readonly string[], operator: "AND" | "OR", ofNone: string): string {
  if (conditions.length <= 1) return conditions[0] === undefined ? ofNone : `(${conditions[0]})`;
  const middle = conditions.length >> 1;
  const [left, right] = [conditions.slice(0, middle), conditions.slice(middle)];
  return `(${joined(left, operator, ofNone)} ${operator} ${joined(right, operator, ofNone)})`;
}

/** Kind of a piece of SQL text. */
type Kind = "comment" | "single" | "double" | "name" | "word" | "other";

/** A piece of SQL text; joined, all pieces are the text. */
export interface Token {
  kind: Kind;
  text: string;
  /** The text between the quotes of quoted text and names. */
  value: string;
}

/** A comment, a text, a name in one of three kinds of quotes, a word, or anything else. */
const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|\s+|[\s\S]/g;

/** Splits SQL text into tokens as SQLite does. */
export function tokensOf(sql: string): Token[] {
  return (sql.match(TOKEN) ?? []).map((text) => {
    const kind = kindOf(text);
    return { kind, text, value: valueOf(kind, text) };
  });
}

const QUOTES: Readonly<Record<string, Kind>> = { "'": "single", '"': "double", "`": "name", "[": "name" };

/** The kind by the first characters. With groups in {@link TOKEN}, a plan would take two milliseconds more. */
function kindOf(text: string): Kind {
  const first = text.charAt(0);
  // A quote without its end is a token of its own.
  const quoted = text.length > 1 ? QUOTES[first] : undefined;
  if (quoted !== undefined) return quoted;
  if (text.startsWith("--") || text.startsWith("/*")) return "comment";
  return /[A-Za-z_\u0080-\uffff]/.test(first) ? "word" : "other";
}

function valueOf(kind: Kind, text: string): string {
  if (kind !== "single" && kind !== "double" && kind !== "name") return text;
  const quote = text.charAt(text.length - 1);
  return text.slice(1, -1).replaceAll(quote + quote, quote);
}

/** False for comments and blanks. */
export function isSignificant({ kind, text }: Token): boolean {
  return kind !== "comment" && text.trim() !== "";
}

/** The tokens of SQL text without comments and blanks. */
export function significantTokens(sql: string): Token[] {
  return tokensOf(sql).filter(isSignificant);
}

/**
 * The parts between the commas in the outermost parentheses, for example the definitions of a CREATE TABLE, as places of
 * their tokens.
 */
export function partsIn(tokens: readonly Token[]): number[][] {
  const parts: number[][] = [[]];
  let depth = 0;
  for (const [at, { text }] of tokens.entries()) {
    if (text === ")") depth -= 1;
    if (depth === 1 && text === ",") parts.push([]);
    else if (depth > 0) parts.at(-1)?.push(at);
    if (text === "(") depth += 1;
  }
  return parts;
}

/** Words before a name in single quotes, which SQLite accepts as a name there. */
const BEFORE_TABLE = /^(?:from|join|into|update|on|table)$/i;

/** One use of a name in SQL text. */
export interface NameUse {
  /** In lower case: SQLite's names ignore the case. */
  name: string;
  /** True if it is not quoted, so that it may also be a keyword. */
  bare: boolean;
  /** The previous token, in lower case; blanks and comments do not count. */
  before: string;
}

/** All names in SQL text, quoted or not, and all keywords; excludes text literals and comments. */
export function namesIn(sql: string): NameUse[] {
  const found: NameUse[] = [];
  let before = "";
  for (const { kind, text, value } of significantTokens(sql)) {
    if (kind === "word" || kind === "double" || kind === "name" || (kind === "single" && BEFORE_TABLE.test(before)))
      found.push({ name: value.toLowerCase(), bare: kind === "word", before });
    before = text.toLowerCase();
  }
  return found;
}

/** True if SQL text uses one of these names, quoted or not; ignores text literals and comments. */
export function mentions(sql: string, words: readonly string[]): boolean {
  const wanted = new Set(words.map((word) => word.toLowerCase()));
  return namesIn(sql).some(({ name }) => wanted.has(name));
}

/**
 * Older builds of SQLite read a name in double quotes as text if no object has that name. Newer ones may not, and
 * report the name. Returns the statement with that text in single quotes, as SQLite itself would repair it.
 *
 * @param fault SQLite's message.
 * @param isColumn True if a table or view has a column of that name.
 * @returns Undefined if the fault is another one, or if the right one of several places is unknown.
 */
export function inSingleQuotes(sql: string, fault: string, isColumn: (name: string) => boolean): string | undefined {
  const literal = literalIn(fault);
  if (literal === undefined) return undefined;
  const tokens = tokensOf(sql);
  const places = tokens.flatMap(({ kind, value }, index) =>
    kind === "double" && value === literal && !isSurelyName(tokens, index) ? [index] : [],
  );
  // SQLite reports one place; in another place the same name could be a column.
  if (places.length === 0 || (places.length > 1 && isColumn(literal))) return undefined;
  return tokens.map(({ text }, index) => (places.includes(index) ? sqlText(literal) : text)).join("");
}

/** The text in double quotes that SQLite's message is about. */
export function literalIn(message: string): string | undefined {
  // oxlint-disable-next-line messages/no-decisions -- the words of SQLite, which has no code for it
  return /no such column: "([\s\S]*)" - should this be a string literal in single-quotes\?$/.exec(message)?.[1];
}

/** True for a part of a longer name, the name of a function, or the new name after AS. */
function isSurelyName(tokens: readonly Token[], index: number): boolean {
  const [before, after] = [next(tokens, index, -1), next(tokens, index, 1)];
  return before === "." || after === "." || after === "(" || before?.toLowerCase() === "as";
}

function next(tokens: readonly Token[], index: number, step: 1 | -1): string | undefined {
  for (let at = index + step; at >= 0 && at < tokens.length; at += step) {
    const token = tokens[at] as Token;
    if (isSignificant(token)) return token.text;
  }
  return undefined;
}

/**
 * The statement with BINARY instead of every collation that SQLite does not have here, for a parser that needs to know
 * each of them.
 *
 * @returns Undefined if there is no such collation.
 */
export function withKnownCollations(sql: string): string | undefined {
  const tokens = tokensOf(sql);
  let isAfterCollate = false;
  const texts = tokens.map((token) => {
    const { kind, text, value } = token;
    const isBlank = !isSignificant(token);
    const isUnknown = isAfterCollate && !isBlank && !COLLATIONS.includes(value.toUpperCase());
    if (!isBlank) isAfterCollate = kind === "word" && /^collate$/i.test(text);
    return isUnknown ? "BINARY" : text;
  });
  const changed = texts.join("");
  return changed === sql ? undefined : changed;
}
