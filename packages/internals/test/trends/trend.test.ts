import fc from "fast-check";
import { expect, test } from "vitest";
import { statisticsQueries } from "../../src/metrics/statistics.ts";
import { rollupStatistics } from "../../src/metrics/rollup/rollup_statistics.ts";
import { askedTrend, askedUserTrend } from "../../src/metrics/trends/trend_arguments.ts";
import type { Bucket, TrendPeriod, UserTrendOptions, UserTrendPeriod } from "../../src/metrics/trends/trend.ts";
import { asked, newPath, SMALL } from "../rollup/databases.ts";
import { FIRST, insert, limit, moment, type Row, rows } from "./random_rows.ts";

const BUCKETS: readonly Bucket[] = ["hour", "day", "week", "month"];

/** Start of a period, computed without SQL. */
function periodOf(bucket: Bucket, seconds: number): string {
  const date = new Date(seconds * 1000);
  if (bucket === "hour") return `${date.toISOString().slice(0, 13)}:00:00`;
  if (bucket === "week") date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return bucket === "month" ? `${date.toISOString().slice(0, 7)}-01` : date.toISOString().slice(0, 10);
}

/** The definition of a trend, computed in the simplest way. */
function expectedTrend(all: readonly Row[], bucket: Bucket, since = -Infinity, until = Infinity): UserTrendPeriod[] {
  const included = all.filter(({ seconds }) => seconds >= since && seconds < until);
  const periods = [...new Set(included.map(({ seconds }) => periodOf(bucket, seconds)))].toSorted();
  return periods.map((period) => {
    const of = included.filter(({ seconds }) => periodOf(bucket, seconds) === period);
    const times = of.flatMap(({ ms }) => (ms === null ? [] : [ms]));
    const upToHere = all.filter(({ seconds }) => seconds < until && periodOf(bucket, seconds) <= period);
    const count = (level: number): number => of.filter((each) => each.level === level).length;
    return {
      period,
      total_operations: of.length,
      success_rate: of.filter(({ success }) => success).length / of.length,
      avg_response_time_ms: times.length === 0 ? 0 : times.reduce((sum, ms) => sum + ms, 0) / times.length,
      level_1_count: count(1),
      level_2_count: count(2),
      level_3_count: count(3),
      level_4_count: count(4),
      level_5_count: count(5),
      trust: upToHere.reduce((trust, { success }) => Math.min(1, Math.max(0, trust + (success ? 0.05 : -0.1))), 0.5),
    };
  });
}

/** Rounds what sums of floating-point numbers round differently. */
const rounded = (trend: readonly TrendPeriod[]): TrendPeriod[] =>
  trend.map((period) =>
    Object.fromEntries(
      Object.entries(period).map(([key, value]) => [key, typeof value === "number" ? Number(value.toFixed(9)) : value]),
    ),
  ) as unknown as TrendPeriod[];

test("all rows, the rollup and the definition give the same trends", () => {
  fc.assert(
    fc.property(rows, limit, limit, fc.integer({ min: 0, max: 60 }), (all, since, until, folded) => {
      const { database, rollup, allRows } = asked(":memory:");
      insert(database, all.slice(0, folded));
      rollup.foldAll();
      insert(database, all.slice(folded));
      for (const bucket of BUCKETS) {
        const options = { bucket, since: moment(since), until: moment(until) };
        for (const user of ["a", "b"]) {
          const expected = rounded(
            expectedTrend(
              all.filter((each) => each.user === user),
              bucket,
              since,
              until,
            ),
          );
          for (const statistics of [allRows, rollup])
            expect(rounded(statistics.userTrend(user, askedUserTrend(options)))).toEqual(expected);
        }
        const expected = rounded(
          expectedTrend(all, bucket, since, until).map(({ trust: _trust, ...period }) => period),
        );
        for (const statistics of [allRows, rollup])
          expect(rounded(statistics.globalTrend(askedTrend(options)))).toEqual(expected);
      }
      database.close();
    }),
    { numRuns: 60 },
  );
});

const trendOf = (timestamps: readonly unknown[], options: UserTrendOptions = {}): string[] => {
  const { database, allRows } = asked(newPath());
  const statement = database.prepare(
    "INSERT INTO interactions (user_id, level, success, timestamp) VALUES ('a', 1, 1, ?)",
  );
  for (const timestamp of timestamps) statement.run(timestamp);
  return allRows.userTrend("a", askedUserTrend(options)).map(({ period, total_operations: n }) => `${period} ${n}`);
};

test("the time of an interaction may have a T, a fraction or a zone, or be a number", () => {
  const all = [
    "2026-01-01 10:00:00",
    "2026-01-01T10:59:59.999999",
    "2026-01-01T12:30:00+02:00",
    "2026-01-01 10:15:00Z",
    1767263400,
    1767263400.5,
    1767263400000,
    2461041.9375,
  ];
  expect(trendOf(all, { bucket: "hour" })).toEqual([`2026-01-01T10:00:00 ${all.length}`]);
  // A fraction does not move an interaction into the next day.
  expect(trendOf(["2026-01-04 23:59:59.9999"], { bucket: "week" })).toEqual(["2025-12-29 1"]);
});

test("interactions without a readable time are left out", () => {
  const unreadable = [
    null,
    "",
    "noon",
    "now",
    "10:00:00",
    "2026-13-01 00:00:00",
    "0000-01-01 00:00:00",
    0,
    -1.5,
    Infinity,
    Buffer.from("2026-01-01"),
  ];
  expect(trendOf(unreadable)).toEqual([]);
  expect(trendOf([...unreadable, "2026-01-01"])).toEqual(["2026-01-01 1"]);
});

test("since is included and until is not", () => {
  const all = ["2026-01-01 09:59:59", "2026-01-01 10:00:00", "2026-01-01 10:59:59", "2026-01-01 11:00:00"];
  const limits = { since: "2026-01-01T10:00:00", until: "2026-01-01T11:00:00" };
  expect(trendOf(all, { ...limits, bucket: "hour" })).toEqual(["2026-01-01T10:00:00 2"]);
  expect(trendOf(all, { since: limits.until, until: limits.since })).toEqual([]);
});

test("a mean stays finite if the sum of the times is beyond the range of a double", () => {
  const { database, rollup, allRows } = asked(newPath());
  for (let each = 0; each < 20; each += 1)
    database.exec("INSERT INTO interactions (user_id, level, success, response_time_ms) VALUES ('a', 1, 1, 1e308)");
  rollup.foldAll();
  for (const statistics of [allRows, rollup]) {
    expect(statistics.globalTrend(askedTrend({})).map((each) => each.avg_response_time_ms)).toEqual([1e308]);
    expect(statistics.userTrend("a", askedUserTrend({})).map((each) => each.avg_response_time_ms)).toEqual([1e308]);
  }
});

test("trends of folded rows come from the sums of days", () => {
  const { database, rollup } = asked(newPath());
  insert(
    database,
    Array.from({ length: 30 }, (_, each) => ({ user: "a", success: true, ms: 1, level: 1, seconds: FIRST + each })),
  );
  rollup.foldAll();
  database.exec("UPDATE perdura_user_days SET operations = 999, trust_low = 7, trust_high = 7");
  database.exec("UPDATE perdura_days SET operations = 888");
  insert(database, [{ user: "a", success: true, ms: 1, level: 1, seconds: FIRST + 86_400 }]);
  expect(rollup.userTrend("a", askedUserTrend({})).map((each) => [each.total_operations, each.trust])).toEqual([
    [999, 0.07],
    [1, 0.12],
  ]);
  expect(rollup.globalTrend(askedTrend({})).map((each) => each.total_operations)).toEqual([888, 1]);
  // Periods shorter than a day come from the rows, and trust before them from the sums.
  const since = new Date((FIRST + 86_400) * 1000);
  expect(rollup.userTrend("a", askedUserTrend({ bucket: "hour", since })).map((each) => each.trust)).toEqual([0.12]);
  expect(rollup.globalTrend(askedTrend({ bucket: "hour" })).map((each) => each.total_operations)).toEqual([30, 1]);
  // Other figures need every row.
  const own = rollup.userTrend("a", askedUserTrend({ trust: { gain: 0.01 } }));
  expect(own.map((each) => [each.total_operations, each.trust])).toEqual([
    [30, 0.8],
    [1, 0.81],
  ]);
  expect(rollup.userTrend("a", askedUserTrend({ trust: { initial: 0 } })).map((each) => each.trust)).toEqual([
    0.07, 0.12,
  ]);
});

test("trust follows the ids if the rows of two days have interleaved ids", () => {
  const { database, rollup, allRows } = asked(newPath());
  const day = (success: boolean, days: number): Row => ({
    user: "a",
    success,
    ms: 1,
    level: 1,
    seconds: FIRST + days * 86_400,
  });
  // Failures and successes in turn end near 0; all failures before all successes would end at 1.
  const all = Array.from({ length: 60 }, (_, each) => day(each % 2 === 1, each % 2));
  insert(database, all);
  rollup.foldAll();
  const expected = expectedTrend(all, "day").map((each) => Number(each.trust.toFixed(9)));
  for (const statistics of [allRows, rollup])
    expect(statistics.userTrend("a", askedUserTrend({})).map((each) => each.trust)).toEqual(expected);
});

test("a removed time that dwarfs the others leaves no rounding error in the sum of its day", () => {
  const { database, rollup, allRows } = asked(newPath(), SMALL);
  for (const [user, ms] of [...Array.from({ length: 12 }, () => ["a", 0.1]), ["b", 1e15], ["a", 0.1]])
    database
      .prepare(
        "INSERT INTO interactions (user_id, level, success, response_time_ms, timestamp) VALUES (?, 1, 1, ?, '2026-01-01')",
      )
      .run(user, ms);
  rollup.foldAll();
  database.exec("DELETE FROM interactions WHERE user_id = 'b'");
  rollup.foldAll();
  const [[got], [expected]] = [rollup, allRows].map((each) => each.globalTrend(askedTrend({}))) as [
    TrendPeriod[],
    TrendPeriod[],
  ];
  expect(got?.avg_response_time_ms).toBeCloseTo(expected?.avg_response_time_ms as number, 12);
  expect(database.prepare("SELECT ms FROM perdura_days").pluck().all()).toEqual([expect.closeTo(1.3, 12)]);
});

test("both lines give the same trend", () => {
  const { database } = asked(newPath());
  insert(database, [{ user: "a", success: true, ms: 5, level: 4, seconds: FIRST }]);
  const trend = rollupStatistics(database, "level").userTrend("a", askedUserTrend({}));
  database.exec("ALTER TABLE interactions RENAME COLUMN level TO empathy_level");
  expect(statisticsQueries(database, "empathy_level").userTrend("a", askedUserTrend({}))).toEqual(trend);
  expect(trend).toEqual([
    {
      period: "2024-12-28",
      total_operations: 1,
      success_rate: 1,
      avg_response_time_ms: 5,
      level_1_count: 0,
      level_2_count: 0,
      level_3_count: 0,
      level_4_count: 1,
      level_5_count: 0,
      trust: 0.55,
    },
  ]);
});
