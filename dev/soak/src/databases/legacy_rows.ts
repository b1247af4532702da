import Database from "better-sqlite3";

/** Rows of each metrics table, without the level, whose column is renamed. */
export type Rows = Record<string, string[]>;

const TABLES = ["interactions", "metrics", "perdura_quarantine"];

/** Rows according to plain SQLite; undefined if it cannot read all of them. */
export function rowsOf(path: string): Rows | undefined {
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { readonly: true, fileMustExist: true });
    const found: Rows = {};
    for (const table of TABLES) {
      const isTable = database
        .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name = ? COLLATE NOCASE")
        .get(table);
      if (isTable === undefined) continue;
      const columns = database.prepare("SELECT lower(name) FROM pragma_table_info(?)").pluck().all(table);
      if (!["user_id", "success", "timestamp"].every((column) => columns.includes(column))) continue;
      const rows = database
        .prepare(
          `SELECT hex(CAST(user_id AS BLOB)), typeof(user_id), hex(success), hex(timestamp) FROM main."${table}" NOT INDEXED`,
        )
        .raw();
      found[table] = rows
        .all()
        .map((row) => JSON.stringify(row))
        .toSorted();
    }
    return found;
  } catch {
    return undefined;
  } finally {
    database?.close();
  }
}

/** True if a database has these rows; undefined if there were no readable rows to compare. */
export function rowsEqual(path: string | undefined, rows: Rows | undefined): boolean | undefined {
  if (path === undefined) return false;
  return rows === undefined ? undefined : JSON.stringify(rowsOf(path)) === JSON.stringify(rows);
}
