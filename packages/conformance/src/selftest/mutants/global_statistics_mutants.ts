import { rmSync } from "node:fs";
import { confuses, counts, opens, runs } from "./metrics_mutations.ts";
import { answers, member, row } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";

const wrong = (name: string, requirement: string, line: 15 | 16, kills: string, mutation: Mutation): Mutant =>
  row(name, requirement, line, `statistics/${kills}`, mutation);
const user = (key: string, change: (before: number) => string | number): Mutation =>
  answers("get_user_stats", member(key, change));
const global = (key: string, change: (before: number) => string | number): Mutation =>
  answers("get_global_stats", member(key, change));

/** Takes the mean of the rates of the users. */
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

/** Statistics over all users that are wrong (section 2.7), and of databases of others. */
export const GLOBAL_STATISTICS_MUTANTS: readonly Mutant[] = [
  wrong(
    "gives percentages",
    "R-8/success-rate",
    16,
    "rate-bounds",
    global("success_rate", (rate) => rate * 100),
  ),
  wrong(
    "adds successes and failures up",
    "R-8/success-rate",
    15,
    "rate-bounds",
    user("success_rate", (rate) => rate * 2 - 1),
  ),
  wrong(
    "has the global statistics of another name",
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
    "counts users without case",
    "R-2.7/total-users",
    16,
    "global-users",
    confuses((id) => id.toLowerCase()),
  ),
  wrong(
    "counts users for interactions",
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
  wrong("takes the mean of the users' rates", "R-2.7/success-rate", 16, "global-rate", meansRates()),
  wrong(
    "reads databases without their write-ahead log",
    "R-4.2/foreign-files",
    16,
    "made-by-hand",
    opens((path) => rmSync(`${path}-wal`, { force: true })),
  ),
  wrong(
    "leaves out response times that are integers",
    "R-4.2/foreign-files",
    15,
    "whole-numbers",
    opens(runs("UPDATE interactions SET response_time_ms = NULL WHERE typeof(response_time_ms) = 'integer'")),
  ),
];
