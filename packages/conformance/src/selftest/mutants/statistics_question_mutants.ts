import type { JsonObject, JsonValue } from "../../values/json_value.ts";
import { counts, opens, refuses, runs } from "./metrics_mutations.ts";
import { answers, ok, row, value } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";

const wrong = (name: string, requirement: string, line: 15 | 16, kills: string, mutation: Mutation): Mutant =>
  row(name, requirement, line, `statistics/${kills}`, mutation);

const LEVELS = [1, 2, 3, 4, 5];
const countOf = (all: Record<string, number>, level: number): number => all[`level_${level}_count`] ?? 0;
const without = (all: Record<string, number>, drop: (key: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(all).filter(([key]) => !drop(key)));

/** Statistics with another answer to an open question. */
export const STATISTICS_QUESTION_MUTANTS: readonly Mutant[] = [
  wrong(
    "gives the highest level so far",
    "U-current-level",
    16,
    "current-level",
    counts("get_user_stats", (all) => ({
      ...all,
      current_level: LEVELS.findLast((level) => countOf(all, level) > 0) ?? 1,
    })),
  ),
  wrong(
    "gives the most used level",
    "U-current-level",
    15,
    "current-level",
    counts("get_user_stats", (all) => ({
      ...all,
      current_level: LEVELS.toSorted((a, b) => countOf(all, b) - countOf(all, a))[0] as number,
    })),
  ),
  wrong(
    "takes the latest timestamp for the newest interaction",
    "U-current-level",
    16,
    "newest-is-last",
    opens(runs("UPDATE interactions SET id = id + 100 WHERE timestamp = (SELECT max(timestamp) FROM interactions)")),
  ),
  wrong(
    "leaves out levels without interactions",
    "U-level-counts",
    16,
    "zero-counts",
    counts("get_user_stats", (all) => without(all, (key) => key.endsWith("_count") && all[key] === 0)),
  ),
  wrong(
    "gives no times of use",
    "U-stats-extra",
    15,
    "first-and-last-use",
    counts("get_user_stats", (all) => without(all, (key) => key.endsWith("_use"))),
  ),
  wrong(
    "gives further keys",
    "U-stats-extra",
    16,
    "first-and-last-use",
    counts("get_user_stats", (all) => ({ ...all, failures: 0 })),
  ),
  wrong(
    "takes the first row for the first use",
    "U-stats-extra",
    16,
    "first-and-last-use",
    counts("get_user_stats", (all) => ({ ...all, first_use: "2025-02-01 00:00:00" })),
  ),
  wrong(
    "refuses an unknown user",
    "U-unknown-user",
    16,
    "unknown-user",
    refuses("get_user_stats", (args) => args.user_id === "nobody"),
  ),
  wrong(
    "begins with level 1",
    "U-unknown-user",
    15,
    "unknown-user",
    counts("get_user_stats", (all) => ({ current_level: 1, ...all })),
  ),
  wrong(
    "has nothing to say about an empty database",
    "U-global-empty",
    16,
    "global-empty",
    answers("get_global_stats", (answer) => ok(answer)),
  ),
  wrong(
    "takes a missing response time for 0",
    "U-null-response-time",
    16,
    "missing-response-times",
    opens(runs("UPDATE interactions SET response_time_ms = 0 WHERE response_time_ms IS NULL")),
  ),
  wrong(
    "has no mean where no interaction has a response time",
    "U-null-response-time",
    15,
    "missing-response-times",
    answers("get_user_stats", (answer) =>
      value(answer, (all) => ({
        ...(all as JsonObject),
        avg_response_time_ms:
          (all as JsonObject).avg_response_time_ms === 0 ? null : ((all as JsonObject).avg_response_time_ms as number),
      })),
    ),
  ),
  wrong(
    "sorts users by UTF-16",
    "U-users-order",
    16,
    "users-order",
    answers("get_all_users", (answer) => value(answer, (users) => (users as string[]).toSorted())),
  ),
  wrong(
    "sorts users as a dictionary does",
    "U-users-order",
    15,
    "users-order",
    answers("get_all_users", (answer) =>
      value(answer, (users) => (users as string[]).toSorted((a, b) => a.localeCompare(b, "en")) as JsonValue),
    ),
  ),
];
