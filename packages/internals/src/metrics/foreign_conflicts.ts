import type { Database, Statement } from "../sqlite/open_database.ts";

/**
 * Triggers and conflict clauses of other programs, which the conflict clause of a statement would replace: the triggers of
 * perdura have none. Looked for again when the schema of the database has changed.
 */
export class ForeignConflicts {
  readonly #schemaVersion: Statement<[], number>;
  readonly #found: Statement<[], number>;
  #version: number | undefined;
  #exist = true;

  constructor(database: Database) {
    this.#schemaVersion = database.prepare("PRAGMA main.schema_version").pluck() as Statement<[], number>;
    this.#found = database
      .prepare(
        `SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE CASE type
           WHEN 'trigger' THEN name NOT LIKE 'perdura\\_%' ESCAPE '\\'
           WHEN 'table' THEN name COLLATE NOCASE IN ('interactions', 'interaction_metadata') AND sql LIKE '%conflict%'
         END)`,
      )
      .pluck() as Statement<[], number>;
  }

  /** The caller holds a transaction, in which no other program changes the schema. */
  exist(): boolean {
    const version = this.#schemaVersion.get() as number;
    if (version !== this.#version) {
      this.#exist = this.#found.get() === 1;
      this.#version = version;
    }
    return this.#exist;
  }
}
