import { alters, answers, member, ok, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";

/** Metrics and statistics that are wrong. */
export const METRICS_MUTANTS: readonly Mutant[] = [
  row("forgets an index of interactions", 16, "metrics/indexes", alters("DROP INDEX idx_interactions_timestamp")),
  row(
    "keeps the old column name",
    16,
    "metrics/columns",
    alters("ALTER TABLE interactions RENAME COLUMN level TO empathy_level"),
  ),
  row(
    "has the new column name too early",
    15,
    "metrics/columns-before-16",
    alters("ALTER TABLE interactions RENAME COLUMN empathy_level TO level"),
  ),
  row(
    "records with an old timestamp",
    16,
    "metrics/record-interaction",
    alters("UPDATE interactions SET timestamp = '2001-01-01 00:00:00'"),
  ),
  row(
    "adds a metadata column",
    16,
    "metrics/metadata-storage",
    alters("ALTER TABLE interactions ADD COLUMN metadata TEXT"),
  ),
  row(
    "still takes empathy_level",
    16,
    "metrics/empathy-level-removed",
    answers("record_metric", (answer) => ok(answer)),
  ),
  row(
    "rates in percent",
    16,
    "statistics/thirds",
    answers(
      "get_user_stats",
      member("success_rate", (rate) => rate * 100),
    ),
  ),
  row(
    "adds a user too many",
    15,
    "statistics/global",
    answers(
      "get_global_stats",
      member("total_users", (users) => users + 1),
    ),
  ),
  row(
    "takes the mean for the sum",
    15,
    "statistics/user",
    answers(
      "get_user_stats",
      member("avg_response_time_ms", (mean) => mean * 4),
    ),
  ),
  row(
    "leaves out a level",
    16,
    "statistics/levels",
    answers(
      "get_user_stats",
      member("level_3_count", () => 0),
    ),
  ),
];
