import { join } from "node:path";
import { openMetrics } from "@perdura/internals/metrics/open_metrics.js";
import { makeSums } from "@perdura/internals/metrics/rollup/make_sums.js";
import { MetricsCollector } from "@perdura/v16";
import { expect, it } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { summarizeData } from "../src/index.ts";

/** More than are read for percentiles. */
const MANY = 110_000;
const FIRST_DAY = Date.UTC(2026, 4, 1);
const DAY_MS = 86_400_000;

/** A database whose operations were faster in the first ten days of May 2026 than in the next ten. */
function recorded(keys: string[]): string {
  const path = join(freshFolder(), "metrics.db");
  {
    let day = 0;
    const clock = () => new Date(FIRST_DAY + day * DAY_MS);
    using collector = new MetricsCollector(path, { durability: "normal", breakdown: { keys }, clock });
    for (; day < 20; day += 1) {
      collector.recordMany(
        Array.from({ length: MANY / 20 }, (_, each) => ({
          user_id: `user${each % 7}`,
          success: true,
          response_time_ms: (1 + (each % 100)) * (day < 10 ? 1 : 10),
          metadata: { tool: each % 2 === 0 ? "search" : "fetch" },
        })),
      );
    }
  }
  const database = openMetrics(path, "level", {});
  for (const _ of makeSums(database, "level", 10_000));
  database.close();
  return path;
}

const metricsOf = async (path: string) => (await summarizeData(path)).databases[0]?.metrics;

/** The quotients of found and expected times, rounded to 4 %. */
const quotients = (found: readonly (number | null | undefined)[], expected: readonly number[]): number[] =>
  found.map((time, index) => Math.round((25 * (time ?? 0)) / (expected[index] as number)) / 25);

const ones = (count: number): number[] => Array.from({ length: count }, () => 1);

it("has percentiles of very many operations if a key is declared", async () => {
  const metrics = await metricsOf(recorded(["tool"]));
  const { p50, p95, p99 } = metrics?.percentiles ?? {};
  expect(quotients([p50, p95, p99], [91, 900, 980])).toEqual(ones(3));
  const days = metrics?.trend.periods.map((period) => period.p95) ?? [];
  expect(quotients(days.slice(0, 10), ones(10).fill(95))).toEqual(ones(10));
  expect(quotients(days.slice(10), ones(10).fill(950))).toEqual(ones(10));
  const { now, before } = metrics?.recent ?? {};
  expect(quotients([now?.p95, before?.p95], [950, 890])).toEqual(ones(2));
  const users = metrics?.top_users.map((user) => user.p95) ?? [];
  expect(quotients(users, ones(7).fill(895))).toEqual(ones(7));
});

it("has none of them without", async () => {
  const metrics = await metricsOf(recorded([]));
  expect(metrics).toMatchObject({ operations: MANY, percentiles: null, recent: { now: { p95: null } } });
  expect(metrics?.top_users[0]).toMatchObject({ p95: null });
});
