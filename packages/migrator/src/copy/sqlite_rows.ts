import { columnsOf, hasRowid } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../core/stop.ts";
import { fromSqlite, ODD, type Row, type SqliteValue } from "./row_values.ts";
import { type Column, type CopiedTable, keyOf } from "./tables.ts";

/** Rows that are in memory at a time; fewer where they are large. */
const AT_ONCE = 1000;
const CHARACTERS_AT_ONCE = 1 << 20;

/** Which rows: a condition about `own`, empty for all. */
export interface Selection {
  where: string;
  values: readonly (bigint | number | string | null)[];
}

/**
 * Rows of a table in the order of their key.
 *
 * @throws Stop where the table lacks a column.
 */
export function* sqliteRows(
  database: Database,
  place: string,
  table: CopiedTable,
  { where, values }: Selection,
): Generator<readonly Row[], void> {
  assertReadable(database, place, table);
  const found = database
    .prepare(
      `SELECT ${table.columns.map(expressionOf).join(", ")} FROM main.${table.name} AS own
       ${where === "" ? "" : `WHERE ${where}`} ORDER BY own.${keyOf(table).name}`,
    )
    .raw()
    .safeIntegers(!isExact(database, table))
    .iterate(...values) as IterableIterator<SqliteValue[]>;
  let batch: Row[] = [];
  let characters = 0;
  for (const raw of found) {
    const row = rowOf(database, table, raw);
    batch.push(row);
    for (const text of row) characters += text?.length ?? 0;
    if (batch.length < AT_ONCE && characters < CHARACTERS_AT_ONCE) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Numbers are much faster than bigints: for interactions, whose other integers are small ones. One question for each end, which
 * SQLite answers without looking at every row.
 */
function isExact(database: Database, { name }: CopiedTable): boolean {
  if (name !== "interactions") return false;
  const ends = database
    .prepare("SELECT (SELECT min(id) FROM main.interactions) >= ? AND (SELECT max(id) FROM main.interactions) <= ?")
    .pluck();
  return ends.get(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER) === 1;
}

function rowOf(database: Database, table: CopiedTable, values: SqliteValue[]): Row {
  const { columns } = table;
  const row: (string | null)[] = [];
  for (let index = 0; index < columns.length; index += 1) {
    const column = columns[index] as Column;
    const value = values[index] as SqliteValue;
    const isStrange = typeof value === "string" && value.includes("\ufffd");
    const text = fromSqlite(column, value);
    row.push(isStrange ? decoded(database, table, column, values, text as string) : text);
  }
  return row;
}

/** The driver puts U+FFFD where bytes are no UTF-8; the text may also hold that character itself. */
function decoded(database: Database, table: CopiedTable, column: Column, values: SqliteValue[], text: string): string {
  if (column.from !== undefined) return text;
  const bytes = database
    .prepare(`SELECT CAST(${column.name} AS BLOB) FROM main.${table.name} WHERE ${keyOf(table).name} IS ?`)
    .pluck();
  const found = (keyOf(table) === column ? undefined : bytes.get(values[0])) as Buffer | undefined;
  return found?.equals(Buffer.from(text)) === true ? text : `${ODD}text that is not UTF-8`;
}

/** @throws Stop where its rows cannot be read as those of 16. */
export function assertReadable(database: Database, place: string, { name, columns }: CopiedTable): void {
  const present = new Set(columnsOf(database, name).map((column) => column.name.toLowerCase()));
  const lacking = columns.filter(
    (column) => column.from === undefined && column.role === undefined && !present.has(column.name),
  );
  if (lacking.length > 0)
    throw new Stop("refused", `${place}: the table ${name} lacks ${lacking.map((column) => column.name).join(", ")}.`);
  if (name === "patterns" && !hasRowid(database, name))
    throw new Stop("refused", `${place}: the table patterns is WITHOUT ROWID, so that its rows have no order.`);
}

function expressionOf({ name, from, role }: Column): string {
  if (from !== undefined) return from((table) => `main.${table}`);
  return role === "position" ? "own.rowid" : `own.${name}`;
}
