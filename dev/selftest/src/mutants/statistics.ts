import { rmSync } from "node:fs";
import type { JsonObject, JsonValue } from "../../../../packages/conformance/src/values/json_value.ts";
import { confuses, counts, forgets, opens, runs } from "./metrics_mutations.ts";
import { answers, member, ok, refuses, rowIn, value } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";

const wrong = rowIn("statistics");
const user = (key: string, change: (before: number) => string | number): Mutation =>
  answers("get_user_stats", member(key, change));

const LEVELS = [1, 2, 3, 4, 5];
const countOf = (all: Record<string, number>, level: number): number => all[`level_${level}_count`] ?? 0;
const without = (all: Record<string, number>, drop: (key: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(all).filter(([key]) => !drop(key)));

const global = (key: string, change: (before: number) => string | number): Mutation =>
  answers("get_global_stats", member(key, change));

/** Averages the rates of the users. */
function meansRates(): Mutation {
  const rates = new Map<string, boolean[]>();
  return {
    before(request) {
      if (request.op === "MetricsCollector") rates.clear();
      const { user_id, success } = request.args;
      if (request.op.startsWith("record_"))
        rates.set(String(user_id), [...(rates.get(String(user_id)) ?? []), success === true]);
      return request;
    },
    ...global("success_rate", () => {
      const means = [...rates.values()].map((all) => all.filter(Boolean).length / all.length);
      return means.reduce((sum, mean) => sum + mean, 0) / means.length;
    }),
  };
}

/** Faults of statistics. */
export const STATISTICS: readonly Mutant[] = [
  // Faults of the statistics of a user (sections 2.6, 2.7 and 8).
  wrong(
    "has another name for the mean",
    "R-4.2/get-user-stats",
    16,
    "user",
    counts("get_user_stats", ({ avg_response_time_ms, ...rest }) => ({
      ...rest,
      avg_response_time: avg_response_time_ms as number,
    })),
  ),
  wrong(
    "returns the rate as text",
    "R-4.2/get-user-stats",
    15,
    "user",
    user("success_rate", (rate) => `${rate * 100}%`),
  ),
  wrong(
    "ignores rows of record_metric",
    "R-4.2/get-user-stats",
    16,
    "by-record-metric",
    forgets((_args, request) => request.op === "record_metric"),
  ),
  wrong(
    "reads at most a thousand interactions of a user",
    "R-2.6/total-operations",
    16,
    "busy-user",
    user("total_operations", (total) => Math.min(1000, total)),
  ),
  wrong(
    "counts successes",
    "R-2.6/total-operations",
    15,
    "total-operations",
    counts("get_user_stats", (all) => ({
      ...all,
      total_operations: (all.total_operations as number) * (all.success_rate as number),
    })),
  ),
  wrong(
    "returns rates in percent",
    "R-2.6/success-rate",
    16,
    "success-rate",
    user("success_rate", (rate) => rate * 100),
  ),
  wrong("divides whole numbers", "R-2.6/success-rate", 15, "success-rate", user("success_rate", Math.floor)),
  wrong(
    "rounds rates to two places",
    "R-2.6/success-rate",
    16,
    "thirds",
    user("success_rate", (rate) => Number(rate.toFixed(2))),
  ),
  wrong(
    "returns the sum as the mean",
    "R-2.6/avg-response-time",
    15,
    "mean",
    counts("get_user_stats", (all) => ({
      ...all,
      avg_response_time_ms: (all.avg_response_time_ms as number) * (all.total_operations as number),
    })),
  ),
  wrong(
    "rounds the mean",
    "R-2.6/avg-response-time",
    16,
    "mean-of-small-and-large",
    user("avg_response_time_ms", Math.round),
  ),
  wrong(
    "omits a level",
    "R-2.6/level-counts",
    16,
    "levels",
    user("level_3_count", () => 0),
  ),
  wrong(
    "shifts the counts of levels by one",
    "R-2.6/level-counts",
    15,
    "levels",
    counts("get_user_stats", (all) => ({
      ...all,
      level_1_count: all.level_2_count as number,
      level_2_count: all.level_3_count as number,
    })),
  ),
  wrong(
    "compares user ids without regard to case",
    "R-2.6/own-interactions",
    16,
    "own-interactions",
    confuses((id) => id.toLowerCase()),
  ),
  wrong(
    "compares user ids as numbers",
    "R-2.6/own-interactions",
    15,
    "own-interactions",
    confuses((id) => (Number.isNaN(Number(id)) ? id : String(Number(id)))),
  ),
  wrong(
    "returns names of levels",
    "R-2.6/current-level",
    16,
    "current-level-range",
    user("current_level", (level) => `level ${level}`),
  ),
  wrong(
    "counts current levels from 0",
    "R-2.6/current-level",
    15,
    "current-level-range",
    user("current_level", (level) => level - 2),
  ),

  // Statistics whose answers to open questions differ from the rulings.
  wrong(
    "returns the highest level so far",
    "U-current-level",
    16,
    "current-level",
    counts("get_user_stats", (all) => ({
      ...all,
      current_level: LEVELS.findLast((level) => countOf(all, level) > 0) ?? 1,
    })),
  ),
  wrong(
    "returns the most used level",
    "U-current-level",
    15,
    "current-level",
    counts("get_user_stats", (all) => ({
      ...all,
      current_level: LEVELS.toSorted((a, b) => countOf(all, b) - countOf(all, a))[0] as number,
    })),
  ),
  wrong(
    "reads the level from the latest timestamp",
    "U-current-level",
    16,
    "newest-is-last",
    opens(runs("UPDATE interactions SET id = id + 100 WHERE timestamp = (SELECT max(timestamp) FROM interactions)")),
  ),
  wrong(
    "omits levels without interactions",
    "U-level-counts",
    16,
    "zero-counts",
    counts("get_user_stats", (all) => without(all, (key) => key.endsWith("_count") && all[key] === 0)),
  ),
  wrong(
    "returns no times of use",
    "U-stats-extra",
    15,
    "first-and-last-use",
    counts("get_user_stats", (all) => without(all, (key) => key.endsWith("_use"))),
  ),
  wrong(
    "returns additional keys",
    "U-stats-extra",
    16,
    "first-and-last-use",
    counts("get_user_stats", (all) => ({ ...all, failures: 0 })),
  ),
  wrong(
    "reads the first use from the first row",
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
    "returns level 1 without interactions",
    "U-unknown-user",
    15,
    "unknown-user",
    counts("get_user_stats", (all) => ({ current_level: 1, ...all })),
  ),
  wrong(
    "returns nothing for an empty database",
    "U-global-empty",
    16,
    "global-empty",
    answers("get_global_stats", (answer) => ok(answer)),
  ),
  wrong(
    "counts a missing response time as 0",
    "U-null-response-time",
    16,
    "missing-response-times",
    opens(runs("UPDATE interactions SET response_time_ms = 0 WHERE response_time_ms IS NULL")),
  ),
  wrong(
    "returns no mean without response times",
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

  // Faults of the statistics of all users (section 2.7), and with foreign databases.
  wrong(
    "returns percentages",
    "R-8/success-rate",
    16,
    "rate-bounds",
    global("success_rate", (rate) => rate * 100),
  ),
  wrong(
    "adds successes and failures",
    "R-8/success-rate",
    15,
    "rate-bounds",
    user("success_rate", (rate) => rate * 2 - 1),
  ),
  wrong(
    "names the global statistics differently",
    "R-4.2/get-global-stats",
    16,
    "global",
    counts("get_global_stats", ({ total_interactions, ...rest }) => ({
      ...rest,
      total_operations: total_interactions as number,
    })),
  ),
  wrong(
    "adds a user too many",
    "R-2.7/total-users",
    15,
    "global-users",
    global("total_users", (users) => users + 1),
  ),
  wrong(
    "counts users without regard to case",
    "R-2.7/total-users",
    16,
    "global-users",
    confuses((id) => id.toLowerCase()),
  ),
  wrong(
    "counts users instead of interactions",
    "R-2.7/total-interactions",
    16,
    "global-interactions",
    counts("get_global_stats", (all) => ({ ...all, total_interactions: all.total_users as number })),
  ),
  wrong(
    "rounds the global rate to percent",
    "R-2.7/success-rate",
    15,
    "global-thirds",
    global("success_rate", (rate) => Math.round(rate * 100) / 100),
  ),
  wrong("returns the mean of the users' rates", "R-2.7/success-rate", 16, "global-rate", meansRates()),
  wrong(
    "reads databases without their write-ahead log",
    "R-4.2/foreign-files",
    16,
    "made-by-hand",
    opens((path) => rmSync(`${path}-wal`, { force: true })),
  ),
  wrong(
    "omits response times that are integers",
    "R-4.2/foreign-files",
    15,
    "whole-numbers",
    opens(runs("UPDATE interactions SET response_time_ms = NULL WHERE typeof(response_time_ms) = 'integer'")),
  ),
];
