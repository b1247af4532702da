import type { SchemaEntry } from "./catalog.ts";
import { significantTokens, type Token, tokensOf } from "./sql_text.ts";

/** Kinds of writing that fire triggers. */
export type WriteKind = "insert" | "update" | "delete";

/** A kind of writing to a table or view. */
export interface Write {
  /** In lower case. */
  table: string;
  kind: WriteKind;
}

/** A trigger, according to its text. */
export interface Trigger {
  name: string;
  sql: string;
  on: Write;
  /** Lower-case columns of `UPDATE OF`; empty if each change of a row fires it. */
  columns: readonly string[];
  /** True for a trigger of a view (`INSTEAD OF`). */
  isOfView: boolean;
  /** Writes of its own statements. */
  writes: readonly Write[];
}

/** The triggers among the entries of a schema. A text that cannot be read is left out: SQLite cannot fire it either. */
export function triggersIn(entries: readonly SchemaEntry[]): Trigger[] {
  return entries.flatMap((entry) => {
    const trigger = entry.type === "trigger" && entry.sql !== null ? parsed(entry.name, entry.sql) : undefined;
    return trigger === undefined ? [] : [trigger];
  });
}

/** All that a trigger writes, also through the triggers that its own writes fire. */
export function allWritesOf(trigger: Trigger, triggers: readonly Trigger[]): Write[] {
  const found = new Map<string, Write>();
  const open = [...trigger.writes];
  for (let write = open.shift(); write !== undefined; write = open.shift()) {
    const key = `${write.kind} ${write.table}`;
    if (found.has(key)) continue;
    found.set(key, write);
    for (const other of triggers)
      if (other.on.kind === write.kind && other.on.table === write.table) open.push(...other.writes);
  }
  return [...found.values()];
}

/** A trigger, and those that its own writes fire. */
export function chainOf(trigger: Trigger, triggers: readonly Trigger[]): Trigger[] {
  const writes = allWritesOf(trigger, triggers);
  const others = triggers.filter(({ on }) => writes.some(({ table, kind }) => on.table === table && on.kind === kind));
  return [...new Set([trigger, ...others])];
}

/** True for a trigger with a common table expression, which can run without end if it is recursive. */
export function canRunEndlessly({ sql }: Pick<Trigger, "sql">): boolean {
  return tokensOf(sql).some((token) => isWord(token, "with"));
}

const isWord = (token: Token | undefined, ...words: string[]): boolean =>
  token?.kind === "word" && words.includes(token.text.toLowerCase());

function parsed(name: string, sql: string): Trigger | undefined {
  const tokens = significantTokens(sql);
  let at = tokens.findIndex((token) => isWord(token, "trigger")) + 1;
  if (isWord(tokens[at], "if")) at += 3;
  at += tokens[at + 1]?.text === "." ? 3 : 1;
  if (isWord(tokens[at], "before", "after")) at += 1;
  const isOfView = isWord(tokens[at], "instead");
  if (isOfView) at += 2;
  const kind = tokens[at]?.text.toLowerCase();
  if (kind !== "insert" && kind !== "update" && kind !== "delete") return undefined;
  const on = tokens.findIndex((token, index) => index > at && isWord(token, "on"));
  const table = tokens[on + 1]?.value.toLowerCase();
  const begin = tokens.findIndex((token, index) => index > on && isWord(token, "begin"));
  if (on === -1 || table === undefined || begin === -1) return undefined;
  const columns = tokens
    .slice(at + 1, on)
    .filter((token) => token.text !== "," && !isWord(token, "of"))
    .map(({ value }) => value.toLowerCase());
  return {
    name,
    sql,
    on: { table, kind },
    columns,
    isOfView,
    writes: statementsIn(tokens.slice(begin + 1)).flatMap(writesOf),
  };
}

function statementsIn(tokens: readonly Token[]): Token[][] {
  const statements: Token[][] = [[]];
  for (const token of tokens) {
    if (token.text === ";") statements.push([]);
    else statements.at(-1)?.push(token);
  }
  return statements;
}

function writesOf(words: readonly Token[]): Write[] {
  const kind = words[0]?.kind === "word" ? words[0].text.toLowerCase() : "";
  // OR and the way to resolve a conflict.
  const at = isWord(words[1], "or") ? 3 : 1;
  const replaces = kind === "replace" || (at === 3 && isWord(words[2], "replace"));
  const table = words[kind === "update" ? at : at + 1]?.value.toLowerCase();
  if (table === undefined) return [];
  if (kind === "update") return [{ table, kind }];
  if (kind === "delete") return [{ table, kind }];
  if (kind !== "insert" && kind !== "replace") return [];
  const isUpsert = words.some((word, index) => isWord(word, "do") && isWord(words[index + 1], "update"));
  return [
    { table, kind: "insert" },
    ...(replaces ? [{ table, kind: "delete" } as const] : []),
    ...(isUpsert ? [{ table, kind: "update" } as const] : []),
  ];
}
