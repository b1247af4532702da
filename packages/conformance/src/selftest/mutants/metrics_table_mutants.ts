import { remakes } from "./metrics_mutations.ts";
import { alters, row } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";

const table = (name: string, requirement: string, line: 15 | 16, kills: string, mutation: Mutation): Mutant =>
  row(name, requirement, line, `metrics/${kills}`, mutation);

/** Tables of interactions that are wrong. */
export const METRICS_TABLE_MUTANTS: readonly Mutant[] = [
  table(
    "forgets the index of users",
    "R-2.3/interactions.user",
    16,
    "index-user",
    alters("DROP INDEX idx_interactions_user"),
  ),
  table(
    "gives the index of timestamps another name",
    "R-2.3/interactions.timestamp",
    15,
    "index-timestamp",
    alters("DROP INDEX idx_interactions_timestamp; CREATE INDEX interactions_by_time ON interactions(timestamp)"),
  ),
  table(
    "indexes another column under the name for timestamps",
    "R-2.3/interactions.timestamp",
    16,
    "index-timestamp",
    alters("DROP INDEX idx_interactions_timestamp; CREATE INDEX idx_interactions_timestamp ON interactions(id)"),
  ),
  table(
    "names the column of the response time without its unit",
    "R-2.5/columns",
    16,
    "columns",
    alters("ALTER TABLE interactions RENAME COLUMN response_time_ms TO response_time"),
  ),
  table(
    "names the column of the time created_at",
    "R-2.5/columns.before-16",
    15,
    "columns-before-16",
    alters("ALTER TABLE interactions RENAME COLUMN timestamp TO created_at"),
  ),
  table(
    "keeps the old column name",
    "R-9/level-column",
    16,
    "level-column",
    alters("ALTER TABLE interactions RENAME COLUMN level TO empathy_level"),
  ),
  table(
    "keeps the old column beside the new one",
    "R-9/level-column",
    16,
    "level-column",
    alters("ALTER TABLE interactions ADD COLUMN empathy_level INTEGER"),
  ),
  table(
    "has the new column name too early",
    "R-9/level-column.before-16",
    15,
    "level-column-before-16",
    alters("ALTER TABLE interactions RENAME COLUMN empathy_level TO level"),
  ),
  table(
    "has ids that are no key",
    "R-2.5/id.primary-key",
    16,
    "id-primary-key",
    remakes(16, "id INTEGER PRIMARY KEY AUTOINCREMENT", "id INTEGER"),
  ),
  table(
    "leaves the ids to the caller",
    "R-2.5/id.generated",
    15,
    "id-generated",
    remakes(15, "id INTEGER PRIMARY KEY AUTOINCREMENT", "id TEXT PRIMARY KEY"),
  ),
  table(
    "sets the time in its own code only",
    "R-2.5/timestamp.default",
    16,
    "timestamp-default",
    remakes(16, " DEFAULT CURRENT_TIMESTAMP", ""),
  ),
  table(
    "lets the table take interactions of nobody",
    "R-2.5/user-id.required",
    15,
    "user-id-required",
    remakes(15, "user_id TEXT NOT NULL", "user_id TEXT"),
  ),
  table(
    "lets the table take interactions without a level",
    "R-2.5/level.required",
    16,
    "level-required",
    remakes(16, "level INTEGER NOT NULL", "level INTEGER DEFAULT 1"),
  ),
  table(
    "lets the table take interactions without an outcome",
    "R-2.5/success.required",
    15,
    "success-required",
    remakes(15, "success BOOLEAN NOT NULL", "success BOOLEAN"),
  ),
  table(
    "makes a missing response time 0",
    "R-2.5/response-time.optional",
    16,
    "response-time-optional",
    remakes(16, "response_time_ms REAL", "response_time_ms REAL NOT NULL DEFAULT 0"),
  ),
];
