import { columnsOf } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { convertedValue } from "@perdura/internals/validity/column_values.js";
import { Stop } from "../../core/stop.ts";
import type { Catalog } from "../sql/catalog.ts";
import { anyOf, namesIn, sameValue, sqlNames } from "../sql/sql_text.ts";
import { type TypedTable, withTypes } from "./column_types.ts";

/**
 * Converts the rows of a table in a temporary copy of it, because a constraint that accepts the stored values may refuse
 * the converted ones.
 *
 * @param stays SQL that is true for the rows that version 16 can hold.
 * @throws Stop that names the constraint.
 */
export function assertConvertible(
  database: Database,
  { entries }: Catalog,
  table: TypedTable & { columns: readonly string[] },
  stays: string,
): void {
  const { name, otherTypes, columns } = table;
  const own = entries.filter((entry) => entry.table.toLowerCase() === name.toLowerCase() && entry.sql !== null);
  const text = own.find(({ type }) => type === "table")?.sql ?? "";
  const unique = own.filter(({ type, sql }) => type === "index" && /^CREATE UNIQUE /i.test(sql ?? ""));
  const isConstrained =
    unique.length > 0 ||
    namesIn(text).some(({ name: word }) => /^(?:check|unique)$/.test(word)) ||
    columnsOf(database, name).some(({ pk, name: key }) => pk > 0 && otherTypes.some(({ column }) => column === key));
  const changed = withTypes(text, otherTypes, ({ specified }) => specified);
  if (otherTypes.length === 0 || !isConstrained || changed === undefined) return;
  const kinds = new Map(otherTypes.map(({ column, kind }) => [column, kind]));
  const values = columns.map((column) => {
    const kind = kinds.get(column);
    return kind === undefined ? sqlName(column) : convertedValue(kind, sqlName(column));
  });
  const changes = anyOf(otherTypes.map(({ column, kind }) => convertedIsOther(kind, sqlName(column))));
  const insert = (where: string): string =>
    `INSERT INTO temp.${sqlName(name)} (${sqlNames(columns)}) SELECT ${values.join(", ")} FROM main.${sqlName(name)} WHERE ${stays} AND ${where}`;
  const readsOnly = database.pragma("query_only", { simple: true }) as number;
  database.pragma("query_only = OFF");
  try {
    database.exec(changed.replace(/^CREATE TABLE /i, "CREATE TABLE temp."));
    for (const { sql } of unique)
      database.exec((sql ?? "").replace(/^CREATE UNIQUE INDEX /i, "CREATE UNIQUE INDEX temp."));
    database.exec(insert(`(${changes})`));
    // Rows that do not change are not checked again, but a changed one must differ from them.
    database.pragma("ignore_check_constraints = ON");
    database.exec(insert(`NOT (${changes})`));
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    // Any other failure is that of a function or a collation that SQLite does not have here.
    if (code?.startsWith("SQLITE_CONSTRAINT") === true)
      throw new Stop(
        "refused",
        `Cannot change the declared types of the table ${name}: ${message}. Nothing was changed. Correct the rows that cause this, or remove the constraint, then run this command again.`,
        error,
      );
  } finally {
    database.pragma("ignore_check_constraints = OFF");
    database.exec(`DROP TABLE IF EXISTS temp.${sqlName(name)}`);
    database.pragma(`query_only = ${readsOnly}`);
  }
}

function convertedIsOther(kind: Parameters<typeof convertedValue>[0], column: string): string {
  return `NOT ${sameValue(column, `(${convertedValue(kind, column)})`)}`;
}
