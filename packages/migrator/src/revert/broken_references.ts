import type { Database } from "@perdura/internals/sqlite/open_database.js";

/** What a table, its columns and its ids are called where two states of a database are compared. */
export interface CommonNames {
  child: string;
  /** What is added to its row ids. */
  offset: number;
  column: (name: string) => string;
}

/** A foreign key of a table. */
export interface ForeignKey {
  child: string;
  /** Its columns, in order. */
  key: string;
  /** The table as it is called in this state, and the one that it refers to. */
  table: string;
  parent: string;
}

/** The foreign keys of a database, and which tables SQLite cannot check, because a reference of theirs is malformed. */
export interface CheckedKeys {
  keys: readonly ForeignKey[];
  unclear: ReadonlySet<string>;
}

/**
 * Puts every reference that holds nothing into a temporary table (`child`, `row`, `key`); there can be as many as rows.
 *
 * @param into The name of that table, which is made.
 * @param namesOf What a table is called in it.
 */
export function noteBroken(database: Database, into: string, namesOf: (table: string) => CommonNames): CheckedKeys {
  database.exec(`CREATE TABLE temp.${into} (child, "row", key)`);
  const keys: ForeignKey[] = [];
  const unclear = new Set<string>();
  for (const table of tablesWithKeys(database)) {
    const { child, offset, column } = namesOf(table);
    const found = keysOf(database, table).map((key) => ({ ...key, key: key.columns.map(column).join() }));
    keys.push(...found.map(({ key, parent }) => ({ child, key, table, parent })));
    const named = JSON.stringify(found.map(({ id, key }) => [id, key]));
    try {
      database
        .prepare(
          `INSERT INTO temp.${into} SELECT ?, c.rowid + ?, k.value ->> 1 FROM pragma_foreign_key_check(?, 'main') AS c JOIN json_each(?) AS k ON k.value ->> 0 = c.fkid`,
        )
        .run(child, offset, table, named);
    } catch (error) {
      if (!/foreign key mismatch/.test((error as Error).message)) throw error;
      unclear.add(child);
    }
  }
  return { keys, unclear };
}

function tablesWithKeys(database: Database): string[] {
  return database
    .prepare(
      "SELECT name FROM main.sqlite_schema AS s WHERE type = 'table' AND EXISTS (SELECT 1 FROM pragma_foreign_key_list(s.name, 'main'))",
    )
    .pluck()
    .all() as string[];
}

function keysOf(database: Database, table: string): { id: number; columns: string[]; parent: string }[] {
  const rows = database
    .prepare(`SELECT id, "from", "table" AS parent FROM pragma_foreign_key_list(?, 'main') ORDER BY id, seq`)
    .all(table) as { id: number; from: string; parent: string }[];
  return [...Map.groupBy(rows, ({ id }) => id)].map(([id, pairs]) => ({
    id,
    columns: pairs.map(({ from }) => from),
    parent: pairs[0]?.parent ?? "",
  }));
}
