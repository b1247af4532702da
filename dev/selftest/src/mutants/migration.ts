import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { alters, answers, ignores, ok, refuses, row } from "./mutations.ts";
import type { Call, Mutant, Mutation } from "./mutations.ts";
import { overlooksLog, prepares, rowsOf } from "./sqlite_mutations.ts";

/** Runs SQL on a database. */
const runOn = (path: string, sql: string): void => alters(sql, false).settled?.([path]);

/** The path of a migration, or a path in the directory that it names. */
const within = ({ args }: Call, ...place: string[]): string => join(args.path as string, ...place);

/** Changes something after a successful migration. */
const afterwards = (work: (request: Call) => void): Mutation =>
  answers("migrate", (answer, request) => {
    if (answer.type === "ok") work(request);
    return answer;
  });
/** Runs SQL on the migrated database, or on one in the migrated directory. */
const spoils = (sql: string, ...place: string[]): Mutation =>
  afterwards((request) => runOn(within(request, ...place), sql));
/** Runs SQL on the archive of the migrated state directory. */
const spoilsArchive = (sql: string): Mutation =>
  afterwards(({ args }) => runOn(`${args.path as string}.v15.sqlar`, sql));

const migrating =
  (requirement: string) =>
  (name: string, kills: string, mutation: Mutation): Mutant =>
    row(name, requirement, 16, `migration/${kills}`, mutation);
const metrics = migrating("U-metrics-migration");
const patterns = migrating("U-patterns-migration");
const states = migrating("U-state-in-16");
const legacy = migrating("U-legacy-layouts");

/** Programs that migrate pre-16 data to 16 incorrectly. */
export const MIGRATION: readonly Mutant[] = [
  // Metrics databases.
  metrics(
    "loses users whose names are not ASCII",
    "statistics",
    spoils("DELETE FROM interactions WHERE user_id GLOB '*[^ -~]*'"),
  ),
  metrics("sets every level to 1", "recorded-by-python", spoils("UPDATE interactions SET level = 1")),
  metrics("rewrites timestamps", "rows-exact", spoils("UPDATE interactions SET timestamp = datetime(timestamp)")),
  metrics("renumbers the rows", "rows-exact", spoils("UPDATE interactions SET id = 2 WHERE id = 3")),
  metrics(
    "migrates a missing response time to 0",
    "rows-exact",
    spoils("UPDATE interactions SET response_time_ms = 0 WHERE response_time_ms IS NULL"),
  ),
  metrics(
    "reformats metadata",
    "metadata-exact",
    spoils("UPDATE interaction_metadata SET metadata = replace(metadata, '  ', ' ')"),
  ),
  metrics("restarts generated ids after the last row", "ids-go-on", spoils("DELETE FROM sqlite_sequence")),
  metrics(
    "keeps the old column",
    "level-column",
    spoils("ALTER TABLE interactions RENAME COLUMN level TO empathy_level"),
  ),
  metrics("creates no index", "level-column", spoils("DROP INDEX idx_interactions_timestamp")),
  metrics(
    "copies the rows into a table without constraints",
    "constraints-kept",
    spoils(
      "CREATE TABLE copy AS SELECT * FROM interactions; DROP TABLE interactions; ALTER TABLE copy RENAME TO interactions",
    ),
  ),
  metrics(
    "fails on a migrated database",
    "twice",
    refuses(
      "migrate",
      ({ path }) =>
        rowsOf(path as string, "SELECT 1 FROM pragma_table_info('interactions') WHERE name = 'level'").length > 0,
    ),
  ),
  metrics("changes the page size", "already-16", spoils("PRAGMA page_size = 4096; VACUUM")),
  metrics(
    "skips a table without rows",
    "empty-table",
    spoils("ALTER TABLE interactions RENAME COLUMN level TO empathy_level"),
  ),
  metrics("migrates without the log", "unmerged-wal", overlooksLog("migrate")),
  metrics("copies columns by their position", "other-ddl", spoils("UPDATE interactions SET response_time_ms = level")),
  metrics(
    "loses the level of users",
    "goes-on",
    spoils("UPDATE interactions SET level = 1 WHERE id IN (SELECT max(id) FROM interactions GROUP BY user_id)"),
  ),
  metrics(
    "clamps levels into the range when it migrates",
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
    "creates a missing file to migrate it",
    "missing-path",
    prepares("migrate", (request) => writeFileSync(within(request), "")),
  ),
  row("drops views", "X-foreign-objects", 16, "migration/user-objects", spoils("DROP VIEW experts")),

  // Pattern databases.
  patterns(
    "rewrites the JSON of patterns",
    "patterns-untouched",
    spoils("UPDATE patterns SET context = json(context)"),
  ),
  patterns(
    "sorts patterns by id when it migrates",
    "patterns-untouched",
    spoils("UPDATE patterns SET rowid = 4 WHERE id = 'p1'"),
  ),
  patterns("loses the confidence of patterns", "patterns-of-15", spoils("UPDATE patterns SET confidence = 0.5")),
  patterns(
    "reformats existing JSON files",
    "library-json-untouched",
    afterwards((request) => {
      const file = within(request, "library.json");
      writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, "utf8"))));
    }),
  ),

  // State directories.
  states(
    "removes the archived states",
    "states-archived",
    afterwards((request) => rmSync(within(request), { recursive: true })),
  ),
  states("does not archive states", "states-archived", ignores("migrate")),
  states(
    "archives permissions without the file type",
    "archive-standard",
    spoilsArchive("UPDATE sqlar SET mode = mode & 511"),
  ),
  states("archives times in milliseconds", "archive-standard", spoilsArchive("UPDATE sqlar SET mtime = mtime * 1000")),
  states(
    "writes empty files into the archive",
    "archive-standard",
    spoilsArchive("UPDATE sqlar SET sz = 0, data = x''"),
  ),
  states(
    "leaves a column of archived states empty",
    "archive-states",
    spoilsArchive("UPDATE states SET target_level = NULL"),
  ),
  states(
    "omits invalid states from the archive",
    "archive-broken-state",
    spoilsArchive("DELETE FROM sqlar WHERE name IN (SELECT file FROM states WHERE status <> 'ok')"),
  ),
  states(
    "archives the same states repeatedly",
    "states-archived-once",
    prepares("migrate", ({ args }) => {
      const archive = `${args.path as string}.v15.sqlar`;
      if (existsSync(archive)) copyFileSync(archive, `${archive}.2`);
    }),
  ),
  states(
    "skips a nested directory of states",
    "whole-directory",
    afterwards((request) => rmSync(within(request, "state.v15.sqlar"))),
  ),

  // Layouts older than the pre-16 layout.
  legacy(
    "migrates only the documented layout",
    "older-layout",
    ignores("migrate", ({ path }) => statSync(path as string).isFile()),
  ),
  legacy(
    "drops metadata that is not JSON",
    "older-layout-metadata",
    spoils("DELETE FROM interaction_metadata WHERE NOT json_valid(metadata)"),
  ),
  legacy(
    "restarts ids after the last row of an older product",
    "older-layout-used",
    spoils("DELETE FROM sqlite_sequence"),
  ),
  legacy("loses the usage rows of a combined file", "combined-file", spoils("DELETE FROM pattern_usage")),
  legacy(
    "stores an unknown level of an older product as 5",
    "older-layout-invalid-levels",
    answers("migrate", (answer, request) => {
      runOn(within(request), "UPDATE metrics SET empathy_level = 5 WHERE empathy_level > 5");
      return answer;
    }),
  ),
  legacy(
    "migrates every table named metrics",
    "other-program",
    spoils("ALTER TABLE metrics RENAME TO interactions", "site.db"),
  ),

  // Migrations of these layouts that lose data.
  legacy("ignores rows that an older product did not rebuild", "half-upgraded", spoils("DELETE FROM interactions")),
  row(
    "assumes level 1 where levels were destroyed",
    "U-lost-levels",
    16,
    "migration/lost-levels",
    answers("migrate", (answer, request) => {
      runOn(
        within(request),
        "ALTER TABLE metrics RENAME TO interactions; ALTER TABLE interactions ADD COLUMN level INTEGER NOT NULL DEFAULT 1",
      );
      return ok(answer);
    }),
  ),
  row(
    "gives rows of the second table lower ids",
    "U-second-table",
    16,
    "migration/second-table",
    spoils("UPDATE interactions SET id = id - 1000 WHERE timestamp > '2024-02'"),
  ),
  row(
    "loses the metadata of a second table",
    "U-second-table",
    16,
    "migration/second-table",
    spoils("DELETE FROM interaction_metadata"),
  ),
];
