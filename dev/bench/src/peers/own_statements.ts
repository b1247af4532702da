import { copyFileSync, rmSync } from "node:fs";
import Database from "better-sqlite3";
import { syncFile } from "../migration/files.ts";

/** SQLite's own statements for it, in the cheapest order: indexes are dropped first and created last. */
const STATEMENTS = [
  "DROP INDEX idx_user_level",
  "DROP INDEX idx_timestamp",
  "ALTER TABLE metrics RENAME TO interactions",
  "ALTER TABLE interactions RENAME COLUMN empathy_level TO level",
  "CREATE TABLE interaction_metadata (interaction_id INTEGER PRIMARY KEY, metadata TEXT NOT NULL)",
  "INSERT INTO interaction_metadata SELECT id, metadata FROM interactions WHERE metadata IS NOT NULL ORDER BY id",
  "ALTER TABLE interactions DROP COLUMN metadata",
  "CREATE INDEX idx_interactions_user ON interactions(user_id)",
  "CREATE INDEX idx_interactions_timestamp ON interactions(timestamp)",
];

const COLUMNS = [
  ["user_id", "user_id"],
  ["level", "empathy_level"],
  ["success", "success"],
  ["response_time_ms", "response_time_ms"],
  ["timestamp", "timestamp"],
] as const;

/** Compares every value and storage class, like the migrator. */
const unequal = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map(([now, was]) => `(+l.${now}) IS NOT (+r.${was}) OR typeof(l.${now}) <> typeof(r.${was})`).join(" OR ");

const COMPARISONS = [
  `SELECT count(CASE WHEN r.id IS NULL OR ${unequal(COLUMNS)} THEN 1 END) FROM interactions AS l LEFT JOIN backup.metrics AS r ON r.id = l.id`,
  `SELECT count(CASE WHEN r.id IS NULL OR ${unequal([["metadata", "metadata"]])} THEN 1 END) FROM interaction_metadata AS l LEFT JOIN backup.metrics AS r ON r.id = l.interaction_id`,
];

/**
 * Migrates a database of field layout A manually: a synced copy, the statements in one transaction, a comparison, a
 * commit.
 */
export function migrateByHand(path: string): void {
  const backup = `${path}.bak`;
  rmSync(backup, { force: true });
  copyFileSync(path, backup);
  syncFile(backup);
  const database = new Database(path);
  database.pragma("synchronous = EXTRA");
  database.exec("BEGIN IMMEDIATE");
  for (const statement of STATEMENTS) database.exec(statement);
  database.prepare("ATTACH ? AS backup").run(backup);
  for (const comparison of COMPARISONS)
    if (database.prepare(comparison).pluck().get() !== 0) throw new Error("The rows differ.");
  database.exec("COMMIT");
  database.close();
}
