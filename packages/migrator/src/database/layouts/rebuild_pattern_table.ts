import { PATTERN_USAGE_TABLE, PATTERNS_TABLE } from "@perdura/internals/patterns/sqlite_schema.js";
import { columnsOf } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlNames } from "../sql/sql_text.ts";
import { definitionOf, rebuildTable } from "./rebuild_table.ts";

type PatternTableName = "patterns" | "pattern_usage";

const TABLES: Readonly<Record<PatternTableName, string>> = {
  patterns: PATTERNS_TABLE,
  pattern_usage: PATTERN_USAGE_TABLE,
};

/**
 * Statements for the operator that give a table of a pattern library the key and the references of the specification.
 * Columns of the user stay, except for generated ones, and a column rowid gets another name; so does the order of the rows.
 */
export function rebuildPatternTable(database: Database, table: PatternTableName): string {
  const [head = "", ...references] = TABLES[table]
    .replaceAll(/\s+/g, " ")
    .replace(/ \)$/, "")
    .split(/,(?= FOREIGN KEY)/);
  const columns = columnsOf(database, table);
  const kept = columns.filter(({ name }) => name.toLowerCase() !== "id");
  const own = kept
    .filter(({ name }) => !new RegExp(`[(,] ${name} `, "i").test(head))
    .map((column) => definitionOf(column, nameInRebuilt(column.name)));
  const names = sqlNames(kept.map(({ name }) => name));
  const statements = rebuildTable(database, table, {
    create: (name) =>
      `${[head.replace(`IF NOT EXISTS ${table}`, name), ...own].join(", ")}${references.map((text) => `,${text}`).join("")})`,
    columns: `id, ${sqlNames(kept.map(({ name }) => nameInRebuilt(name)))}`,
    values: `${idOf(database, table)}, ${names}`,
  });
  return `Rebuild the table first, in the sqlite3 shell: ${statements}`;
}

/** SQLite renames no column that hides the row ids. */
const nameInRebuilt = (name: string): string => (name.toLowerCase() === "rowid" ? "former_rowid" : name);

/** Ids of usage that the key cannot hold are replaced: nothing refers to them. */
function idOf(database: Database, table: PatternTableName): string {
  if (table === "patterns") return "CAST(id AS TEXT)";
  const isKey = database
    .prepare("SELECT count(*) = count(DISTINCT id) AND total(typeof(id) <> 'integer') = 0 FROM main.pattern_usage")
    .pluck()
    .get();
  return isKey === 1 ? "id" : "NULL";
}
