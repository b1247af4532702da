import { PATTERN_FIELDS } from "@perdura/internals/patterns/pattern.js";
import { PATTERNS_TABLE } from "@perdura/internals/patterns/sqlite_schema.js";
import { hasRowid } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { rowsText } from "../../core/rows_text.ts";
import { Stop } from "../../core/stop.ts";
import { convertedValue } from "../sql/column_values.ts";
import { integerKey } from "../sql/row_id.ts";
import { keyIn16, type MissingColumn, type PatternTable } from "../patterns/pattern_columns.ts";
import { withColumnType } from "../sql/column_definition.ts";
import { changeSchemaText, withoutTriggers } from "../sql/schema_text.ts";
import { sqlName } from "../sql/sql_text.ts";
import type { Step } from "../step.ts";
import { notesOnTypes, typeSteps } from "./column_types.ts";

/**
 * Steps that give the tables of a pattern library the columns of the specification.
 *
 * @throws Stop if the key of the patterns has another type and is the order in which SQLite stores them.
 */
export function patternColumnSteps(database: Database, tables: readonly PatternTable[]): Step[] {
  for (const table of tables) {
    assertKeyIsIndexed(database, table);
    if (table.name === "pattern_usage") assertTextsAreKnown(database, table);
  }
  return tables.flatMap((table) => [
    ...typeSteps(table, keyIn16(table)),
    ...table.missing.map((column): Step => ({
      title: `add the column ${column.name} to the table ${table.name}`,
      run: (connection) => addColumn(connection, table.name, column),
    })),
  ]);
}

/** Notes on these columns for the operator. */
export function notesOnPatternColumns(tables: readonly PatternTable[]): string[] {
  return tables.flatMap(notesOnTypes);
}

/** A key that is the row id, or the order of a table WITHOUT ROWID, has no index that could be built again. */
function assertKeyIsIndexed(database: Database, { name, otherTypes, missing }: PatternTable): void {
  const id = otherTypes.find(({ column }) => column.toLowerCase() === "id");
  if (id === undefined || (hasRowid(database, name) && integerKey(database, name) === undefined)) return;
  const fields = PATTERN_FIELDS.slice(1).filter((field) => !missing.some((column) => column.name === field));
  const create = PATTERNS_TABLE.replace("IF NOT EXISTS patterns", "patterns_new").replaceAll(/\s+/g, " ");
  throw new Stop(
    "refused",
    `The column id of the table ${name} is the ${id.declared} key by which SQLite stores the rows, so an id of version 16, such as 'retry-once', cannot be stored. Nothing was changed. Rebuild the table first, in the sqlite3 shell: PRAGMA foreign_keys = OFF; BEGIN; ${create}; INSERT INTO patterns_new (id, ${fields.join(", ")}) SELECT CAST(id AS TEXT), ${fields.join(", ")} FROM patterns ORDER BY id; DROP TABLE patterns; ALTER TABLE patterns_new RENAME TO patterns; COMMIT;`,
  );
}

/** The survey of the patterns reads no usage. */
function assertTextsAreKnown(database: Database, { name, otherTypes }: PatternTable): void {
  for (const { column, kind } of otherTypes) {
    if (kind !== "text") continue;
    const rows = database
      .prepare(`SELECT count(*) FROM main.${name} WHERE typeof(${convertedValue(kind, sqlName(column))}) = 'real'`)
      .pluck()
      .get() as number;
    if (rows > 0)
      throw new Stop(
        "refused",
        `In ${rowsText(rows)} of the table ${name}, the column ${column} is a number that is not an integer, so its text is not known. Correct these rows first.`,
      );
  }
}

function addColumn(database: Database, table: string, { name, type, default: value }: MissingColumn): void {
  const isConstant = value !== "CURRENT_TIMESTAMP";
  const given = isConstant && value !== "NULL" ? ` DEFAULT ${value}` : "";
  database.exec(`ALTER TABLE main.${table} ADD COLUMN ${name} ${type}${given}`);
  if (isConstant) return;
  // SQLite adds no column with such a default, because existing rows would get different values: theirs is unknown.
  withoutTriggers(database, [table], () => database.exec(`UPDATE main.${table} SET ${sqlName(name)} = NULL`));
  const entry = database
    .prepare(
      "SELECT type, name, sql AS 'from' FROM main.sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE",
    )
    .get(table) as { type: string; name: string; from: string };
  changeSchemaText(database, [
    { ...entry, to: withColumnType(entry.from, name, `${type} DEFAULT ${value}`) as string },
  ]);
}
