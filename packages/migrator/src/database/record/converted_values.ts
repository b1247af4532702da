import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName, sqlText } from "@perdura/internals/text/quoted_sql.js";
import type { OtherType } from "@perdura/internals/validity/column_types.js";
import { convertedValue, formerValue } from "@perdura/internals/validity/column_values.js";
import { sameValue } from "../sql/sql_text.ts";
import { nextNumber } from "./migration_record.ts";
import { CONVERTED_VALUES, CONVERTED_VALUES_TABLE, hasOwn } from "./side_tables.ts";

/**
 * Records the values of a column whose original cannot be derived from the converted value. Must run before the
 * migration itself is recorded, and before the values are converted.
 *
 * @param key SQL over the alias `e` that identifies a row after the migration.
 */
export function recordConverted(database: Database, table: string, type: OtherType, key: string): void {
  const value = `e.${sqlName(type.column)}`;
  const converted = convertedValue(type.kind, value);
  const from = `FROM main.${sqlName(table)} AS e WHERE NOT ${sameValue(`(${formerValue(type.affinity, `(${converted})`)})`, value)}`;
  if (database.prepare(`SELECT 1 ${from} LIMIT 1`).get() === undefined) return;
  const number = nextNumber(database);
  database.exec(CONVERTED_VALUES.create);
  database.exec(
    `INSERT INTO main.${CONVERTED_VALUES_TABLE} SELECT ${number}, ${sqlText(table)}, ${sqlText(type.column)}, ${key}, ${value}, ${converted} ${from}`,
  );
}

/** A converted column, and the migration that converted it. */
export interface ConvertedColumn {
  /** The former name of its table. */
  table: string;
  type: OtherType;
  number: number;
}

/**
 * SQL for the value that a row had, or would have had, before the column was converted: the recorded original if the
 * converted value is unchanged, else what a column of the former type holds for the value.
 *
 * @param schema The database with the record.
 * @param key SQL for the key of the row in the record.
 * @param value SQL for the value of version 16.
 */
export function originalValue(
  database: Database,
  { table, type, number }: ConvertedColumn,
  schema: "main" | "backup",
  key: string,
  value: string,
): string {
  const derived = formerValue(type.affinity, value);
  if (!hasOwn(database, CONVERTED_VALUES, schema)) return derived;
  return `coalesce((SELECT v.original FROM ${schema}.${CONVERTED_VALUES_TABLE} AS v WHERE v.number = ${number} AND v.table_name = ${sqlText(table)} AND v.column_name = ${sqlText(type.column)} AND v.row_key = ${key} AND ${sameValue("v.converted", value)}), ${derived})`;
}
