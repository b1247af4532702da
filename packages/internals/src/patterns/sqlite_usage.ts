import type { Database } from "../sqlite/open_database.ts";
import { IgnoredRow } from "../validity/ignored_row.ts";
import type { PatternUsage } from "./library.ts";

/**
 * Adds queued uses to the table `pattern_usage` in the caller's transaction.
 *
 * @throws IgnoredRow if a trigger or a constraint made SQLite ignore one.
 * @returns Number of added rows, and the uses whose pattern is not in the database: their rows would refer to nothing.
 */
export function writeUsage(
  database: Database,
  queued: readonly PatternUsage[],
  dbPath: string,
): { written: number; unreferenced: PatternUsage[] } {
  const insert = database.prepare(
    `INSERT INTO pattern_usage (pattern_id, agent_id, success, used_at)
     SELECT id, ?, ?, ? FROM patterns WHERE id = ?`,
  );
  const unreferenced = queued.filter(
    (usage) => insert.run(usage.agent_id, usage.success ? 1 : 0, usage.used_at, usage.pattern_id).changes === 0,
  );
  const isStored = database.prepare("SELECT 1 FROM patterns WHERE id = ?").pluck();
  if (unreferenced.some(({ pattern_id }) => isStored.get(pattern_id) !== undefined))
    throw new IgnoredRow(database, "pattern_usage", dbPath);
  return { written: queued.length - unreferenced.length, unreferenced };
}
