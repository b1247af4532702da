import { writeFileSync } from "node:fs";
import { overlooksLog } from "./log_faults.ts";
import { runOn, spoils, within } from "./migration_mutations.ts";
import { answers, ok, row } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";
import { prepares, refuses, rowsOf } from "./sqlite_mutations.ts";

const metrics = (name: string, kills: string, mutation: Mutation): Mutant =>
  row(name, "U-metrics-migration", 16, `migration/${kills}`, mutation);
/** Faults of programs that bring metrics databases of before 16 to 16. */
export const MIGRATION_METRICS_MUTANTS: readonly Mutant[] = [
  metrics(
    "loses users whose names are not ASCII",
    "statistics",
    spoils("DELETE FROM interactions WHERE user_id GLOB '*[^ -~]*'"),
  ),
  metrics("sets every level to 1", "recorded-by-python", spoils("UPDATE interactions SET level = 1")),
  metrics("spells timestamps anew", "rows-exact", spoils("UPDATE interactions SET timestamp = datetime(timestamp)")),
  metrics("numbers the rows anew", "rows-exact", spoils("UPDATE interactions SET id = 2 WHERE id = 3")),
  metrics(
    "takes no response time for 0",
    "rows-exact",
    spoils("UPDATE interactions SET response_time_ms = 0 WHERE response_time_ms IS NULL"),
  ),
  metrics(
    "formats metadata",
    "metadata-exact",
    spoils("UPDATE interaction_metadata SET metadata = replace(metadata, '  ', ' ')"),
  ),
  metrics("lets ids begin again after the last row", "ids-go-on", spoils("DELETE FROM sqlite_sequence")),
  metrics(
    "keeps the old column",
    "level-column",
    spoils("ALTER TABLE interactions RENAME COLUMN level TO empathy_level"),
  ),
  metrics("builds no index", "level-column", spoils("DROP INDEX idx_interactions_timestamp")),
  metrics(
    "copies the rows into a table without constraints",
    "constraints-kept",
    spoils(
      "CREATE TABLE copy AS SELECT * FROM interactions; DROP TABLE interactions; ALTER TABLE copy RENAME TO interactions",
    ),
  ),
  metrics(
    "fails where there is nothing left to do",
    "twice",
    refuses(
      "migrate",
      ({ path }) =>
        rowsOf(path as string, "SELECT 1 FROM pragma_table_info('interactions') WHERE name = 'level'").length > 0,
    ),
  ),
  metrics("writes the file with other pages", "already-16", spoils("PRAGMA page_size = 4096; VACUUM")),
  metrics(
    "passes over a table without rows",
    "empty-table",
    spoils("ALTER TABLE interactions RENAME COLUMN level TO empathy_level"),
  ),
  metrics("migrates without the log", "unmerged-wal", overlooksLog("migrate")),
  metrics("copies columns by their position", "other-ddl", spoils("UPDATE interactions SET response_time_ms = level")),
  metrics(
    "forgets on which level a user was",
    "goes-on",
    spoils("UPDATE interactions SET level = 1 WHERE id IN (SELECT max(id) FROM interactions GROUP BY user_id)"),
  ),
  metrics(
    "squeezes levels into their range",
    "invalid-levels",
    answers("migrate", (answer, request) => {
      const level = "max(1, min(5, CAST(empathy_level AS INTEGER)))";
      runOn(within(request), `UPDATE interactions SET empathy_level = ${level}`);
      return ok(answer);
    }),
  ),
  metrics(
    "drops rows before it refuses",
    "invalid-levels",
    answers("migrate", (answer, request) => {
      runOn(within(request), "DELETE FROM interactions WHERE empathy_level > 5");
      return answer;
    }),
  ),
  metrics(
    "makes a file where none is",
    "missing-path",
    prepares("migrate", (request) => writeFileSync(within(request), "")),
  ),
  row("drops views", "X-foreign-objects", 16, "migration/user-objects", spoils("DROP VIEW experts")),
];
