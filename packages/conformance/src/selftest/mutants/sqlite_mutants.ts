import { writeFileSync } from "node:fs";
import type { JsonObject, JsonValue } from "../../src/values/json_value.ts";
import { alters, answers, value, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";

/** Pattern databases that are wrong. */
export const SQLITE_MUTANTS: readonly Mutant[] = [
  row(
    "leaves a file where there was none",
    16,
    "patterns-sqlite/load-missing-creates-nothing",
    answers("load_from_sqlite", (answer, request) => (writeFileSync(request.args.db_path as string, ""), answer)),
  ),
  row("forgets an index of patterns", 16, "patterns-sqlite/indexes", alters("DROP INDEX idx_patterns_confidence")),
  row(
    "indexes another column under the right name",
    15,
    "patterns-sqlite/indexes",
    alters("DROP INDEX idx_patterns_type; CREATE INDEX idx_patterns_type ON patterns(name)"),
  ),
  row(
    "encodes context twice",
    16,
    "patterns-sqlite/json-columns",
    alters("UPDATE patterns SET context = json_quote(context)"),
  ),
  row(
    "stores confidence as text",
    16,
    "patterns-sqlite/storage-classes",
    alters(
      "ALTER TABLE patterns RENAME TO p; CREATE TABLE patterns AS SELECT *, CAST(confidence AS TEXT) AS c FROM p; DROP TABLE pattern_usage; ALTER TABLE patterns DROP COLUMN confidence; ALTER TABLE patterns RENAME COLUMN c TO confidence",
      false,
    ),
  ),
  row(
    "has tables without defaults",
    16,
    "patterns-sqlite/column-defaults",
    alters(
      "DROP TABLE pattern_usage; ALTER TABLE patterns RENAME TO p; CREATE TABLE patterns AS SELECT * FROM p",
      false,
    ),
  ),
  row(
    "has a table without keys",
    16,
    "patterns-sqlite/primary-key",
    alters(
      "DROP TABLE pattern_usage; ALTER TABLE patterns RENAME TO p; CREATE TABLE patterns AS SELECT * FROM p",
      false,
    ),
  ),
  row(
    "has usage rows without a foreign key",
    15,
    "patterns-sqlite/usage-foreign-key",
    alters(
      "ALTER TABLE pattern_usage RENAME TO u; CREATE TABLE pattern_usage (id INTEGER PRIMARY KEY, pattern_id TEXT NOT NULL, agent_id TEXT NOT NULL, success BOOLEAN NOT NULL, used_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP)",
      false,
    ),
  ),
  row(
    "writes usage rows twice",
    16,
    "patterns-sqlite/usage",
    alters(
      "INSERT INTO pattern_usage (pattern_id, agent_id, success) SELECT pattern_id, agent_id, success FROM pattern_usage",
    ),
  ),
  row(
    "turns patterns round",
    16,
    "patterns-sqlite/order",
    answers("load_from_sqlite", (answer) =>
      value(answer, (library) => ({
        ...(library as JsonObject),
        patterns: ((library as JsonObject).patterns as JsonValue[]).toReversed(),
      })),
    ),
  ),
];
