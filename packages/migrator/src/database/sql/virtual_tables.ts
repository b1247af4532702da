import type { SchemaEntry } from "./catalog.ts";
import { mentions, partsIn, significantTokens, type Token } from "./sql_text.ts";

/** SQLite stores the statement of a virtual table in this form. */
const VIRTUAL = /^\s*CREATE\s+VIRTUAL\b/i;

/** True for the statement of a virtual table. */
export function isVirtual(sql: string): boolean {
  return VIRTUAL.test(sql);
}

/** Modules for full-text search: an argument without `=` is the name of a column. */
const FULL_TEXT = /^fts[345]$/i;

/**
 * A virtual table that reads a table by its name. ALTER TABLE does not change the arguments of virtual tables, so after
 * a change of the name it would read wrong data.
 *
 * An argument names a table if it is `option=NAME`, or the name alone (except for columns of full-text tables). A longer
 * argument, such as `level float[8]`, defines a column of the virtual table itself.
 *
 * @param columns If given, only a virtual table that also uses one of these columns.
 * @returns Its name, and the name that it uses.
 */
export function virtualTableUsing(
  entries: readonly SchemaEntry[],
  table: string,
  columns: readonly string[] | null,
): { name: string; used: string } | undefined {
  for (const { name, sql } of entries) {
    if (sql === null || !isVirtual(sql)) continue;
    const { module, list } = argumentsOf(sql);
    if (!list.some((words) => namesTable(words, table, FULL_TEXT.test(module)))) continue;
    const uses = (column: string): boolean =>
      list.some((words) => mentions(words.map(({ text }) => text).join(" "), [column]));
    const used = columns === null ? table : columns.find(uses);
    if (used !== undefined) return { name, used };
  }
  return undefined;
}

/** Names of full-text tables that read their content from a table, with the columns of the table that they index. */
export function fullTextOver(
  entries: readonly SchemaEntry[],
  table: string,
): { name: string; columns: readonly string[] }[] {
  return entries.flatMap((entry) => {
    if (virtualTableUsing([entry], table, null) === undefined) return [];
    const { module, list } = argumentsOf(entry.sql ?? "");
    if (!FULL_TEXT.test(module)) return [];
    const columns = list.filter((words) => !words.some(({ text }) => text === "="));
    return [{ name: entry.name, columns: columns.map(([first]) => (first?.value ?? "").toLowerCase()) }];
  });
}

/** The module and its arguments, as their significant tokens. */
function argumentsOf(sql: string): { module: string; list: Token[][] } {
  const tokens = significantTokens(sql);
  const using = tokens.findIndex(({ kind, text }) => kind === "word" && /^using$/i.test(text));
  const [, module, ...rest] = tokens.slice(using);
  return { module: module?.value ?? "", list: partsIn(rest).map((part) => part.map((at) => rest[at] as Token)) };
}

function namesTable(words: readonly Token[], table: string, isFullText: boolean): boolean {
  const equals = words.findIndex(({ text }) => text === "=");
  const value = equals === -1 ? (isFullText ? [] : words) : words.slice(equals + 1);
  const named = value.at(-1)?.value.toLowerCase() === table.toLowerCase();
  // A name may have the name of its schema before it.
  return named && (value.length === 1 || (value.length === 3 && value[1]?.text === "."));
}
