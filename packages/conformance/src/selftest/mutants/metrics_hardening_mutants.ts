import { writeFileSync } from "node:fs";
import type { JsonValue } from "../../values/json_value.ts";
import { counts, forgets, opens, records, runs } from "./metrics_mutations.ts";
import { alters, answers, row, value } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";

/** Metrics beyond the specification. */
export const METRICS_HARDENING_MUTANTS: readonly Mutant[] = [
  row(
    "has users with names of its language",
    "X-ordinary-keys",
    16,
    "metrics/ordinary-keys",
    forgets((args) => String(args.user_id) in {}),
  ),
  row(
    "takes quotes out of user ids",
    "X-sql-text",
    15,
    "metrics/sql-text",
    records((args) => ({ ...args, user_id: String(args.user_id).replaceAll(/['"]/g, "") })),
  ),
  row(
    "writes what a second collector records when it closes",
    "X-two-handles",
    16,
    "metrics/two-handles",
    forgets((_args, request) => request.handle === "second"),
  ),
  row(
    "makes the table interactions anew",
    "X-foreign-objects",
    15,
    "metrics/foreign-objects",
    opens(runs("DROP TRIGGER IF EXISTS noted; DROP INDEX IF EXISTS by_team")),
  ),
  row(
    "gives the first thousand users",
    "X-many",
    16,
    "metrics/many",
    answers("get_all_users", (answer) => value(answer, (users) => (users as JsonValue[]).slice(0, 1000))),
  ),
  row("leaves a lock file beside its metrics", "X-no-leftovers", 16, "metrics/no-leftovers", {
    settled: (databases) => databases.forEach((path) => writeFileSync(`${path}.lock`, "")),
  }),
  row("counts questions as operations", "X-repeatable", 16, "statistics/repeatable", countsQuestions()),
  row(
    "notes who was asked for",
    "X-files-untouched",
    16,
    "statistics/database-untouched",
    alters("INSERT INTO interactions (user_id, level, success) VALUES ('nobody', 1, 1)"),
  ),
  row(
    "brings timestamps into one form on opening",
    "X-files-untouched",
    15,
    "statistics/database-untouched",
    opens(runs("UPDATE interactions SET timestamp = datetime(timestamp)")),
  ),
];

function countsQuestions(): ReturnType<typeof counts> {
  let asked = -1;
  return counts("get_user_stats", (statistics) => {
    asked += 1;
    return { ...statistics, total_operations: Number(statistics.total_operations) + asked };
  });
}
