import { confuses, counts, forgets } from "./metrics_mutations.ts";
import { answers, member, row } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";

const wrong = (name: string, requirement: string, line: 15 | 16, kills: string, mutation: Mutation): Mutant =>
  row(name, requirement, line, `statistics/${kills}`, mutation);
const user = (key: string, change: (before: number) => string | number): Mutation =>
  answers("get_user_stats", member(key, change));
/** Statistics that are wrong (sections 2.6, 2.7 and 8). */
export const STATISTICS_MUTANTS: readonly Mutant[] = [
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
    "gives the rate as text",
    "R-4.2/get-user-stats",
    15,
    "user",
    user("success_rate", (rate) => `${rate * 100}%`),
  ),
  wrong(
    "leaves out what record_metric recorded",
    "R-4.2/get-user-stats",
    16,
    "by-record-metric",
    forgets((_args, request) => request.op === "record_metric"),
  ),
  wrong(
    "looks at a thousand interactions of a user",
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
    "rates in percent",
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
    "takes the sum for the mean",
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
    "leaves out a level",
    "R-2.6/level-counts",
    16,
    "levels",
    user("level_3_count", () => 0),
  ),
  wrong(
    "gives the count of each level for the one below",
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
    "takes user ids without case",
    "R-2.6/own-interactions",
    16,
    "own-interactions",
    confuses((id) => id.toLowerCase()),
  ),
  wrong(
    "takes user ids for numbers",
    "R-2.6/own-interactions",
    15,
    "own-interactions",
    confuses((id) => (Number.isNaN(Number(id)) ? id : String(Number(id)))),
  ),
  wrong(
    "gives names of levels",
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
];
