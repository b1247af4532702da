import { CorruptDataError } from "../errors/errors.ts";
import type { Database } from "./open_database.ts";

/** A column of a foreign key to a table that does not exist; `to` is null for the primary key. */
export interface MissingParent {
  table: string;
  /** Number of the key in its table. */
  key: number;
  parent: string;
  from: string;
  to: string | null;
}

/**
 * Finds the references to tables that do not exist, as an old SQLite left them after a rename. With enforced references
 * SQLite refuses changes of such tables.
 */
export function missingParents(database: Database): MissingParent[] {
  return database
    .prepare(
      `SELECT s.name AS "table", f.id AS key, f."table" AS parent, f."from", f."to"
      FROM main.sqlite_schema AS s, pragma_foreign_key_list(s.name, 'main') AS f
      WHERE s.type = 'table' AND NOT EXISTS
        (SELECT 1 FROM main.sqlite_schema AS p WHERE p.type = 'table' AND p.name = f."table" COLLATE NOCASE)
      ORDER BY s.rowid, f.id DESC, f.seq`,
    )
    .all() as MissingParent[];
}

/**
 * Runs a change of some tables. SQLite's error for a missing parent would name that table only, which no statement of
 * the caller contains.
 *
 * @throws CorruptDataError that names the reference, if the change fails because of one.
 */
export function withParents<Result>(
  database: Database,
  tables: readonly string[],
  path: string,
  task: () => Result,
): Result {
  try {
    return task();
  } catch (error) {
    if ((error as { code?: unknown }).code !== "SQLITE_ERROR") throw error;
    const found = missingParents(database).find(({ table }) => tables.includes(table.toLowerCase()));
    if (found === undefined) throw error;
    throw new CorruptDataError(
      `the column ${found.from} of the table ${found.table} REFERENCES a table ${found.parent}, which does not exist. No stored data was changed. Correct the definition of the table, or use perdura-migrate up --broken-references repair, which also migrates a pre-16 database.`,
      { path, cause: error },
    );
  }
}
