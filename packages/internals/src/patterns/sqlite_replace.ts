import { hasRowid } from "../sqlite/catalog.ts";
import type { Database } from "../sqlite/open_database.ts";
import { IgnoredRow } from "../validity/ignored_row.ts";

/**
 * Removes patterns from the table `patterns` until it contains exactly `ids`, in that order, in the caller's
 * transaction. The usage rows of removed patterns are removed, too; kept patterns keep their usage rows and their
 * `updated_at`.
 *
 * @throws IgnoredRow if a trigger of another program keeps a pattern.
 */
export function removeOtherPatterns(
  database: Database,
  ids: string[],
  dbPath: string,
): { removedPatterns: number; removedUsageRows: number } {
  database.exec("CREATE TEMP TABLE kept_patterns (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE)");
  try {
    const keep = database.prepare("INSERT INTO temp.kept_patterns (id) VALUES (?)");
    for (const id of ids) keep.run(id);
    const beside = "NOT IN (SELECT id FROM temp.kept_patterns)";
    const removedUsageRows = database
      .prepare(`DELETE FROM pattern_usage WHERE pattern_id IN (SELECT id FROM patterns WHERE id ${beside})`)
      .run().changes;
    const removedPatterns = database.prepare(`DELETE FROM patterns WHERE id ${beside}`).run().changes;
    if (database.prepare(`SELECT 1 FROM patterns WHERE id ${beside}`).get() !== undefined)
      throw new IgnoredRow(database, "patterns", dbPath);
    if (hasRowid(database, "patterns")) putInOrder(database);
    return { removedPatterns, removedUsageRows };
  } finally {
    database.exec("DROP TABLE temp.kept_patterns");
  }
}

/**
 * The order of a library is the order of `rowid` (ruling U-order). If the order differs, all rows get new numbers above
 * the present ones.
 */
function putInOrder(database: Database): void {
  const inOrder = database
    .prepare(
      `SELECT count(*) FROM (
         SELECT position, row_number() OVER (ORDER BY patterns.rowid) AS place FROM patterns JOIN temp.kept_patterns USING (id)
       ) WHERE position <> place`,
    )
    .pluck()
    .get();
  if (inOrder === 0) return;
  const { highest } = database.prepare("SELECT max(rowid) AS highest FROM patterns").get() as { highest: number };
  database
    .prepare(
      "UPDATE patterns SET rowid = ? + (SELECT position FROM temp.kept_patterns AS kept WHERE kept.id = patterns.id)",
    )
    .run(highest);
}
