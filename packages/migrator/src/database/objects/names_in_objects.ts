import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { Stop } from "../../core/stop.ts";
import type { Catalog, SchemaEntry } from "../sql/catalog.ts";
import type { MetricsTable } from "../layouts/metrics_table.ts";
import { isSignificant, mentions, namesIn, type NameUse, partsIn, type Token, tokensOf } from "../sql/sql_text.ts";

/**
 * Notes on triggers that fire only on UPDATE OF a dropped column: SQLite drops the column, and keeps them.
 *
 * @param table Present name of the table.
 */
export function notesOnDeadTriggers(
  entries: readonly SchemaEntry[],
  table: string,
  dropped: readonly string[],
): string[] {
  return entries.flatMap((entry) => {
    const isOn = entry.type === "trigger" && entry.table.toLowerCase() === table.toLowerCase();
    const only = isOn ? onlyUpdateOf(namesIn(entry.sql ?? "")) : undefined;
    return only !== undefined && dropped.some((column) => column.toLowerCase() === only)
      ? [
          `the trigger ${entry.name} fires only on UPDATE OF ${only}, a column that is dropped: it will never fire again`,
        ]
      : [];
  });
}

/** The column of UPDATE OF, if it is a single one. */
function onlyUpdateOf(names: readonly NameUse[]): string | undefined {
  const of = names.findIndex(({ name, before, bare }) => name === "of" && before === "update" && bare);
  const [column, next] = of === -1 ? [] : names.slice(of + 1);
  return next?.name === "on" && next.bare ? column?.name : undefined;
}

/**
 * @throws Stop for each part of the table, and each index on it, that uses the metadata column, which moves to a table
 *   of its own: SQLite drops no column that is used. Views and triggers are checked by compiling them.
 */
export function assertMetadataUnused(catalog: Catalog, { name, names: { metadata } }: MetricsTable): void {
  if (metadata === null) return;
  const entry = catalog.entries.find((one) => one.type === "table" && one.name === name);
  const parts = definitionsIn(entry?.sql ?? "").flatMap((part) => usesIn(part, metadata, catalog, name));
  const computed = parts.flatMap(({ column }) => (column === null ? [] : [column]));
  const indexes = catalog.entries.filter(
    ({ type, table, sql }) =>
      type === "index" &&
      table.toLowerCase() === name.toLowerCase() &&
      sql !== null &&
      mentions(textAfterName(sql), [metadata, ...computed]),
  );
  const found = [
    ...indexes.map(
      (index) =>
        `the index ${index.name} (DROP INDEX ${sqlName(index.name)}; an index contains no data and can be created again on interaction_metadata)`,
    ),
    ...parts.map(({ what }) => what),
  ];
  if (found.length === 0) return;
  throw new Stop(
    "refused",
    `The migration moves the column ${metadata} of the table ${name} to the table interaction_metadata, but the schema uses the column in: ${found.join("; ")}. Nothing was changed. Remove ${found.length === 1 ? "this" : "these, in this order,"} from the schema, then run this command again; no row needs to be removed.`,
  );
}

/** A part of a table that uses a column: its description, and the generated column that it defines, if any. */
interface PartUse {
  what: string;
  column: string | null;
}

const REBUILD =
  "SQLite cannot drop a constraint: create a table without it, copy every row to it, and rename it, see section 7 of sqlite.org/lang_altertable.html";

function usesIn(part: Token[], metadata: string, { computed }: Catalog, table: string): PartUse[] {
  const words = part.filter(isSignificant);
  const [first] = words;
  if (first === undefined) return [];
  const isOf = (column: string): boolean => first.value.toLowerCase() === column.toLowerCase();
  const bare = new Set(words.filter(({ kind }) => kind === "word").map(({ text }) => text.toLowerCase()));
  const isOfTable = first.kind === "word" && /^(?:constraint|check|unique|foreign|primary)$/i.test(first.text);
  if (!isOfTable && isOf(metadata))
    // Its own CHECK and REFERENCES are dropped with it.
    return bare.has("unique")
      ? [{ what: `the UNIQUE constraint of the column itself (${REBUILD})`, column: null }]
      : [];
  if (!mentions(withoutParents(words), [metadata])) return [];
  if (!isOfTable && computed.get(table.toLowerCase())?.some(isOf) === true) {
    const column = first.value;
    return [
      {
        what: `the generated column ${column} (ALTER TABLE ${sqlName(table)} DROP COLUMN ${sqlName(column)}; SQLite computes its values, and a view of interactions and interaction_metadata can return the same)`,
        column,
      },
    ];
  }
  return [{ what: `the constraint ${textOf(part)} (${REBUILD})`, column: null }];
}

/** Maximum number of characters of a condition that are shown. */
const SHOWN = 100;

function textOf(part: readonly Token[]): string {
  const text = part
    .map(({ text: one }) => one)
    .join("")
    .trim()
    .replaceAll(/\s+/g, " ");
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/** The definitions of columns and conditions of a CREATE TABLE. */
function definitionsIn(sql: string): Token[][] {
  const tokens = tokensOf(sql);
  return partsIn(tokens).map((part) => part.map((at) => tokens[at] as Token));
}

/** Removes the columns of another table in a REFERENCES clause. */
function withoutParents(words: readonly Token[]): string {
  let rest = "";
  for (let at = 0; at < words.length; at += 1) {
    const { kind, text } = words[at] as Token;
    if (kind === "word" && /^references$/i.test(text)) {
      const end = words.findIndex((word, index) => index > at && word.text === ")");
      at = words[at + 2]?.text === "(" && end !== -1 ? end : at + 1;
    } else rest += `${text} `;
  }
  return rest;
}

/** The text after the name of an index, which does not use a column. */
function textAfterName(sql: string): string {
  const tokens = tokensOf(sql);
  return tokens
    .slice(tokens.findIndex(({ text }) => text === "("))
    .map(({ text }) => text)
    .join("");
}
