import type { Database } from "./open_database.ts";

/**
 * The collations that every SQLite has. Others are functions of an application. (`PRAGMA collation_list` also lists names
 * that only occur in the schema.)
 */
export const COLLATIONS: readonly string[] = ["BINARY", "NOCASE", "RTRIM"];

/** True for the error of a statement that needs a collation that only an application defines. */
export function lacksCollation(error: unknown): boolean {
  return (error as { code?: unknown }).code === "SQLITE_ERROR_MISSING_COLLSEQ";
}

/** An index with a collation that SQLite does not have here. */
export interface UnreadableIndex {
  index: string;
  collation: string;
  /** True if the index is the table itself: a table WITHOUT ROWID, whose rows cannot be read without the collation. */
  isTable: boolean;
}

/** The indexes of an ordinary table that SQLite cannot use, because only an application defines their collation. */
export function unreadableIndexes(
  database: Database,
  table: string,
  schema: "main" | "backup" = "main",
): UnreadableIndex[] {
  return database
    .prepare(
      `SELECT i.name AS "index", min(c.coll) AS collation,
         i.origin = 'pk' AND NOT EXISTS (SELECT 1 FROM pragma_index_xinfo(i.name, @schema) WHERE cid = -1) AS "isTable"
       FROM pragma_index_list(@table, @schema) AS i, pragma_index_xinfo(i.name, @schema) AS c
       WHERE upper(c.coll) NOT IN (${COLLATIONS.map((name) => `'${name}'`).join(", ")}) GROUP BY i.name ORDER BY i.seq DESC`,
    )
    .all({ table, schema })
    .map((row) => ({ ...(row as UnreadableIndex), isTable: (row as { isTable: number }).isTable === 1 }));
}
