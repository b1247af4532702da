import { stringifyExact } from "@perdura/internals/json/exact_numbers.js";
import type { JsonValue } from "@perdura/internals/json/values.js";
import type { BreakdownRow } from "@perdura/internals/metrics/breakdown/breakdown.js";
import { askedBreakdown, HIGHEST_LIMIT } from "@perdura/internals/metrics/breakdown/breakdown_arguments.js";
import type { Bucket, TrendPeriod } from "@perdura/internals/metrics/trends/trend.js";
import { askedTrend } from "@perdura/internals/metrics/trends/trend_arguments.js";
import { checkedRange } from "@perdura/internals/metrics/time_range.js";
import type { PeriodFigures, RecentSummary, RecentValue } from "./document.ts";
import type { MetricsSource } from "./source.ts";
import { sumOfPeriods } from "./sum_of_periods.ts";

type Statistics = MetricsSource["statistics"];

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;

/**
 * Figures of the newest week against those of the week before, or of the newest day against the day before if all
 * operations are within a week.
 *
 * @param hasPercentiles False if the operations are too many to be read for percentiles, and no sums tell them.
 * @param now The moment of the summary: later operations have wrong times, and no period ends with them.
 */
export async function summarizeRecent(
  statistics: Statistics,
  trend: { bucket: Bucket; periods: readonly TrendPeriod[] },
  hasPercentiles: boolean,
  now: Date,
): Promise<RecentSummary | null> {
  const isByDay = trend.bucket === "hour" || trend.bucket === "day";
  const periods = isByDay ? trend.periods : await statistics.globalTrend(askedTrend({ bucket: "day" }));
  const today = dayOf(now.getTime());
  const [first, last] = [periods.at(0), periods.findLast(({ period }) => period.slice(0, 10) <= today)];
  if (first === undefined || last === undefined) return null;
  const newest = startOf(last.period);
  const days = newest - startOf(first.period) < WEEK_DAYS * DAY_MS ? 1 : WEEK_DAYS;
  const [before_since, since, until] = [1 - 2 * days, 1 - days, 1].map((offset) => dayOf(newest + offset * DAY_MS)) as [
    string,
    string,
    string,
  ];
  const figures = async (from: string, to: string): Promise<PeriodFigures> => ({
    ...sumOfPeriods(periods.filter(({ period }) => period >= from && period < to)),
    p95: hasPercentiles
      ? (await statistics.percentiles({ user: undefined, range: checkedRange({ since: from, until: to }) })).p95
      : null,
  });
  const before = await figures(before_since, since);
  if (before.total_operations === 0) return null;
  return { days, before_since, since, until, before, now: await figures(since, until) };
}

/** Figures of the listed values of a key in both periods. */
export async function recentValues(
  statistics: Statistics,
  key: string,
  listed: readonly BreakdownRow[],
  { before_since, since, until }: RecentSummary,
): Promise<RecentValue[]> {
  const between = async (from: string, to: string): Promise<(value: JsonValue) => BreakdownRow | undefined> => {
    const rows = await statistics.breakdown(askedBreakdown(key, { since: from, until: to, limit: HIGHEST_LIMIT }));
    const byValue = new Map(rows.map((row) => [row.value === undefined ? OTHERS : stringifyExact(row.value), row]));
    return (value) => byValue.get(stringifyExact(value)) ?? byValue.get(OTHERS);
  };
  const [older, newer] = [await between(before_since, since), await between(since, until)];
  return listed.flatMap(({ value }) => {
    if (value === undefined) return [];
    const [before, now] = [older(value), newer(value)];
    // One of the rows for all other values does not tell the figures of this one.
    const isKnown = before?.others === undefined && now?.others === undefined;
    return isKnown ? [{ value, before: figuresOf(before), now: figuresOf(now) }] : [];
  });
}

/** The row of all values beyond the limit; no value is written so. */
const OTHERS = "";

function figuresOf(row: BreakdownRow | undefined): PeriodFigures | null {
  if (row === undefined) return null;
  const { total_operations, success_rate, avg_response_time_ms, p95 } = row;
  return { total_operations, success_rate, avg_response_time_ms, p95 };
}

/** Midnight in UTC, in milliseconds since 1970. */
function startOf(period: string): number {
  return Date.parse(`${period.slice(0, 10)}T00:00:00Z`);
}

/** Years before 0 have another form, and no question accepts them. */
function dayOf(moment: number): string {
  return new Date(Math.max(moment, FIRST_DAY)).toISOString().slice(0, 10);
}

const FIRST_DAY = Date.parse("0000-01-01T00:00:00Z");
