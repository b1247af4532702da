import { writeFileSync } from "node:fs";
import type { JsonObject } from "../../values/json_value.ts";
import { alters, answers, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";
import { everyText, loads, loadsLibrary, prepares, savesThen } from "./sqlite_mutations.ts";

const beforeLoading = (sql: string) =>
  prepares("load_from_sqlite", ({ args }) => alters(sql).settled?.([args.db_path as string]));

/** Faults beyond the specification. */
export const SQLITE_HARDENING_MUTANTS: readonly Mutant[] = [
  row(
    "runs SQL that it finds in a text",
    "X-sql-text",
    16,
    "patterns-sqlite/sql-text-usage",
    savesThen("DELETE FROM pattern_usage"),
  ),
  row(
    "leaves a temporary file",
    "X-no-leftovers",
    16,
    "patterns-sqlite/no-leftovers",
    answers("save_to_sqlite", (answer, { args }) => (writeFileSync(`${args.db_path as string}.tmp`, ""), answer)),
  ),
  row(
    "writes row by row until it fails",
    "X-failed-save",
    16,
    "patterns-sqlite/failed-save",
    savesThen("UPDATE patterns SET name = 'Renamed'", "error"),
  ),
  row(
    "has no transaction around a save",
    "X-failed-save",
    15,
    "patterns-sqlite/failed-save-halfway",
    savesThen(
      "INSERT OR IGNORE INTO patterns (id, agent_id, pattern_type, name) VALUES ('p2', 'agent-1', 'sequential', 'Retry once')",
      "error",
    ),
  ),
  row(
    "forgets what others saved",
    "X-two-handles",
    16,
    "patterns-sqlite/two-libraries",
    loadsLibrary((library) => ({ ...library, patterns: (library.patterns as []).slice(0, 1) })),
  ),
  row(
    "makes the table patterns anew",
    "X-foreign-objects",
    16,
    "patterns-sqlite/foreign-objects",
    savesThen("DROP TRIGGER noted; DROP INDEX my_index"),
  ),
  row(
    "writes known rows anew",
    "X-foreign-objects",
    15,
    "patterns-sqlite/foreign-column",
    savesThen("UPDATE patterns SET rating = NULL"),
  ),
  row(
    "reads the first thousand rows",
    "X-many",
    16,
    "patterns-sqlite/many",
    loadsLibrary((library) => ({ ...library, patterns: (library.patterns as []).slice(0, 1000) })),
  ),
  row(
    "cuts text to 65,535 characters",
    "X-long-text",
    16,
    "patterns-sqlite/long-text",
    loads((pattern) => everyText(pattern, (text) => text.slice(0, 65_535)) as JsonObject),
  ),
  row(
    "makes missing indexes when it loads",
    "X-files-untouched",
    16,
    "patterns-sqlite/load-changes-nothing",
    beforeLoading("CREATE INDEX IF NOT EXISTS idx_patterns_agent ON patterns(agent_id)"),
  ),
  row(
    "turns every database to WAL mode",
    "X-files-untouched",
    15,
    "patterns-sqlite/load-changes-nothing",
    beforeLoading("PRAGMA journal_mode = WAL"),
  ),
  row(
    "begins a database in what is none",
    "X-files-untouched",
    16,
    "patterns-sqlite/load-leaves-other-files",
    answers(
      "load_from_sqlite",
      (answer, { args }) => (writeFileSync(args.db_path as string, "SQLite format 3"), answer),
    ),
  ),
  row(
    "counts loading as a use",
    "X-repeatable",
    16,
    "patterns-sqlite/load-twice",
    beforeLoading("UPDATE patterns SET usage_count = usage_count + 1"),
  ),
  row(
    "counts a use with every save",
    "X-repeatable",
    16,
    "patterns-sqlite/save-twice",
    savesThen("UPDATE patterns SET usage_count = usage_count + 1 WHERE id = 'a'"),
  ),
];
