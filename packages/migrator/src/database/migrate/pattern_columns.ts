import { hasUniqueIds } from "@perdura/internals/patterns/sqlite_schema.js";
import { columnsOf, hasRowid } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { rowsText } from "../../core/rows_text.ts";
import { Stop } from "../../core/stop.ts";
import { affinityOf } from "@perdura/internals/validity/column_types.js";
import { convertedValue } from "@perdura/internals/validity/column_values.js";
import { integerKey } from "../sql/row_id.ts";
import { ID_INDEX, keyIn16, type MissingColumn, type PatternTable } from "../layouts/pattern_tables.ts";
import { rebuildPatternTable } from "../layouts/rebuild_pattern_table.ts";
import { withColumnType } from "../sql/column_definition.ts";
import { changeTableText, withoutTriggers } from "../sql/schema_text.ts";
import type { Step } from "../steps/step.ts";
import { notesOnTypes, typeSteps } from "./column_types.ts";
import { countFrom } from "../sql/count_from.ts";

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
function assertKeyIsIndexed(database: Database, { name, otherTypes }: PatternTable): void {
  const id = otherTypes.find(({ column }) => column.toLowerCase() === "id");
  if (id === undefined || (hasRowid(database, name) && integerKey(database, name) === undefined)) return;
  throw new Stop(
    "refused",
    `The column id of the table ${name} is the ${id.declared} key by which SQLite stores the rows, so an id of version 16, such as 'retry-once', cannot be stored. Nothing was changed. ${rebuildPatternTable(database, "patterns")}`,
  );
}

/**
 * The step that makes the ids of patterns unique, which version 16 needs to save a library.
 *
 * @throws Stop if the key of the table takes different ids for equal: an index could not change that.
 */
export function uniqueIdSteps(database: Database): Step[] {
  if (hasUniqueIds(database)) return [];
  const collation = database
    .prepare(
      `SELECT part.coll FROM pragma_index_list('patterns', 'main') AS list, pragma_index_xinfo(list.name, 'main') AS part
       WHERE list."unique" AND part.key AND part.name = 'id' COLLATE NOCASE AND part.coll <> 'BINARY'`,
    )
    .pluck()
    .get() as string | undefined;
  if (collation !== undefined)
    throw new Stop(
      "refused",
      `The key of the table patterns has the collation ${collation}, by which different ids are equal, so version 16 cannot save all patterns. Nothing was changed. ${rebuildPatternTable(database, "patterns")}`,
    );
  const taken = database.prepare("SELECT type FROM main.sqlite_schema WHERE name = ?").pluck().get(ID_INDEX);
  if (taken !== undefined)
    throw new Stop(
      "refused",
      `The name ${ID_INDEX} is needed for an index of patterns, but another ${String(taken)} has it. Rename or drop it first.`,
    );
  return [
    {
      kind: "build-index",
      title: `build the unique index ${ID_INDEX}, because the table patterns has no key`,
      whole: true,
      run: (connection) => void connection.exec(`CREATE UNIQUE INDEX main.${ID_INDEX} ON patterns(id)`),
    },
  ];
}

/** The survey of the patterns reads no usage. */
function assertTextsAreKnown(database: Database, { name, otherTypes }: PatternTable): void {
  for (const { column, kind } of otherTypes) {
    if (kind !== "text") continue;
    const rows = countFrom(database, `main.${name} WHERE typeof(${convertedValue(kind, sqlName(column))}) = 'real'`);
    if (rows === 0) continue;
    // In a column without a type, the number of a pattern would not equal that text.
    const ids = columnsOf(database, "patterns").find(({ name: of }) => of.toLowerCase() === "id");
    const way =
      affinityOf(ids?.type ?? "") === "BLOB"
        ? "Correct these rows first."
        : `Correct these rows first, or let SQLite write the numbers as text. ${rebuildPatternTable(database, "pattern_usage")}`;
    throw new Stop(
      "refused",
      `In ${rowsText(rows)} of the table ${name}, the column ${column} is a number that is not an integer, so its text is not known. Nothing was changed. ${way}`,
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
  changeTableText(
    database,
    table,
    (text) => withColumnType(text, name, `${type} DEFAULT ${value}`),
    ({ columns }) => ({
      columns: columns.map((column) => (column["name"] === name ? { ...column, dflt_value: value } : column)),
    }),
  );
}
