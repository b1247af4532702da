import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName, sqlText } from "@perdura/internals/text/quoted_sql.js";

/**
 * Changes texts in `sqlite_schema` directly, for changes that SQLite has no statement for. The transaction must also
 * contain a normal schema statement: only that makes other connections read the schema again.
 *
 * @param change Runs statements that change `sqlite_schema`, and nothing else.
 */
export function rewriteSchema(database: Database, change: () => unknown): void {
  database.unsafeMode(true);
  try {
    database.pragma("writable_schema = ON");
    change();
    // Makes this connection read the schema again, and ends its write access.
    database.pragma("writable_schema = RESET");
  } finally {
    database.unsafeMode(false);
  }
}

/** A new text for one entry of `sqlite_schema`. */
export interface TextChange {
  type: string;
  name: string;
  from: string;
  to: string;
}

/**
 * Writes new texts into the schema for which SQLite has no statement: of entries that it cannot parse, or that keep
 * their position and content. Other connections read the schema again once another statement of the same transaction
 * creates or drops an object.
 *
 * @throws Error if an entry does not have the expected text.
 */
export function changeSchemaText(database: Database, changes: readonly TextChange[]): void {
  if (changes.length === 0) return;
  rewriteSchema(database, () => {
    const update = database.prepare(
      "UPDATE main.sqlite_schema SET sql = @to WHERE type = @type AND name = @name AND sql = @from",
    );
    for (const change of changes) {
      if (update.run(change).changes !== 1)
        throw new Error(`The ${change.type} ${change.name} does not have the expected text in sqlite_schema`);
    }
  });
}

/** The columns and the references of a table, as SQLite reads them from its text. */
interface TableStructure {
  columns: Record<string, unknown>[];
  keys: Record<string, unknown>[];
}

/**
 * Writes a new text of a table into the schema, and makes other connections read it.
 *
 * @param rewrite Gets the present text; undefined if it cannot be changed.
 * @param changed Gets the present structure, and returns the one that the new text must have.
 */
export function changeTableText(
  database: Database,
  table: string,
  rewrite: (text: string) => string | undefined,
  changed: (structure: TableStructure) => Partial<TableStructure>,
): void {
  const { name, from } = database
    .prepare("SELECT name, sql AS 'from' FROM main.sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE")
    .get(table) as { name: string; from: string };
  const to = rewrite(from);
  if (to === undefined) throw new Error(`The text of the table ${table} does not have the part to change: ${from}`);
  const structure = structureOf(database, table);
  changeSchemaText(database, [{ type: "table", name, from, to }]);
  // No statement changes the schema otherwise, and other connections must read it again.
  database.pragma(`main.schema_version = ${(database.pragma("main.schema_version", { simple: true }) as number) + 1}`);
  if (JSON.stringify(structureOf(database, table)) !== JSON.stringify({ ...structure, ...changed(structure) }))
    throw new Error(`The new text of the table ${table} has other columns or references than expected`);
}

function structureOf(database: Database, table: string): TableStructure {
  return {
    columns: database.prepare("SELECT * FROM pragma_table_xinfo(?, 'main')").all(table) as TableStructure["columns"],
    keys: database.prepare("SELECT * FROM pragma_foreign_key_list(?, 'main')").all(table) as TableStructure["keys"],
  };
}

/** Drops the triggers of the tables while `change` runs, and creates them again with the same text. */
export function withoutTriggers(database: Database, tables: readonly string[], change: () => void): void {
  const triggers = database
    .prepare(
      `SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger' AND tbl_name COLLATE NOCASE IN (${tables.map(sqlText).join(", ")}) ORDER BY rowid`,
    )
    .all() as { name: string; sql: string }[];
  suspendTriggers(database, triggers, change);
}

/** Does the same for single triggers. */
export function suspendTriggers(
  database: Database,
  triggers: readonly { name: string; sql: string }[],
  change: () => void,
): void {
  for (const { name } of triggers) database.exec(`DROP TRIGGER main.${sqlName(name)}`);
  change();
  for (const { sql } of triggers) database.exec(sql);
}
