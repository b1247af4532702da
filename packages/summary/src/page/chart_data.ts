import type { Bucket } from "@perdura/internals/metrics/trends/trend.js";
import type { ChartData, ChartGroup, ChartSeries } from "./client/chart_group.ts";
import type { MetricsSummary, UserSummary } from "../document.ts";
import { counted, fraction } from "./figures.ts";
import { nameText } from "./markup.ts";
import { successes, sumOfPeriods } from "../sum_of_periods.ts";

type Period = MetricsSummary["trend"]["periods"][number];

/** Largest number of periods without operations that a chart shows, as a multiple of the others. */
const MOST_EMPTY = 3;
const STEP = { hour: 3600, day: 86_400, week: 604_800, month: 0 } as const;

/** Charts of a trend, and of the trust of users; undefined without any period. */
export function trendCharts({ trend, top_users }: MetricsSummary): ChartGroup | undefined {
  const timeline = timelineOf(trend.bucket, [trend.periods]);
  if (timeline.length === 0) return undefined;
  const periods = along(timeline, trend.periods);
  const charts: ChartData[] = [
    {
      title: "Operations",
      format: "count",
      kind: "stack",
      series: [
        { name: "successful", colour: "c-good", values: periods.map((period) => (period ? successes(period) : 0)) },
        {
          name: "failed",
          colour: "c-fail",
          values: periods.map((period) => (period ? period.total_operations - successes(period) : 0)),
        },
      ],
    },
    {
      title: "Success rate",
      format: "percent",
      kind: "lines",
      series: [{ name: "success rate", colour: "c-1", values: periods.map(successRate) }],
    },
    {
      title: "Response time",
      format: "duration",
      kind: "lines",
      series: [
        { name: "mean", colour: "c-4", values: periods.map(responseTime) },
        ...(periods.some((period) => typeof period?.p95 === "number")
          ? [{ name: "p95", colour: "c-2", values: periods.map(p95Of) }]
          : []),
      ],
    },
  ];
  const levels = ([1, 2, 3, 4, 5] as const).map((level) => ({
    name: `level ${level}`,
    colour: `c-level-${level}`,
    values: periods.map((period) => period?.[`level_${level}_count`] ?? 0),
  }));
  if (levels.some(({ values }) => values.some((value) => value > 0)))
    charts.push({ title: "Share of levels", format: "count", kind: "share", series: levels });
  const trust = trustChart(top_users, timeline, trend.periods);
  if (trust) charts.push(trust);
  return { bucket: trend.bucket, x: timeline, charts };
}

/** Trust of users by period; the script shows those that are chosen. */
function trustChart(
  users: readonly UserSummary[],
  timeline: readonly number[],
  periods: readonly Period[],
): ChartData | undefined {
  const starts = periods.map(({ period }) => startOf(period));
  const series = users.flatMap(({ user_id, trust, trust_trajectory, total_operations }) => {
    if (trust_trajectory === null) return [];
    const byStart = new Map(starts.map((start, index) => [start, trust_trajectory[index] ?? null]));
    let last: number | null = null;
    // Without an operation, the trust of a user stays the same.
    const values = timeline.map((start) => (last = byStart.get(start) ?? last)).map((value) => rounded(value));
    if (values.every((value) => value === null)) return [];
    const detail = `${trust === null ? "" : `trust ${fraction(trust)}, `}${counted(total_operations, "operation")}`;
    return [{ name: nameText(user_id), colour: "", values, detail }];
  });
  if (series.length === 0) return undefined;
  return { title: "Trust of users", format: "fraction", kind: "lines", series, chosen: true, shown: 3 };
}

/** The trends of two summaries in the same charts; undefined if they have other periods, or have none. */
export function comparedCharts(
  before: readonly MetricsSummary[],
  after: readonly MetricsSummary[],
): ChartGroup | undefined {
  const [bucket, ...others] = new Set([...before, ...after].map(({ trend }) => trend.bucket));
  if (bucket === undefined || others.length > 0) return undefined;
  const sides = [before, after].map((side) => total(side.flatMap(({ trend }) => trend.periods)));
  const timeline = timelineOf(bucket, sides);
  if (timeline.length === 0) return undefined;
  const [old, now] = sides.map((side) => along(timeline, side)) as [Periods, Periods];
  const both = (value: (period: Period | undefined) => number | null): ChartSeries[] => [
    { name: "before", colour: "c-before", values: old.map(value) },
    { name: "after", colour: "c-after", values: now.map(value) },
  ];
  return {
    bucket,
    x: timeline,
    charts: [
      { title: "Operations", format: "count", kind: "lines", series: both((period) => period?.total_operations ?? 0) },
      {
        title: "Success rate",
        format: "percent",
        kind: "lines",
        series: both(successRate),
      },
      { title: "Mean response time", format: "duration", kind: "lines", series: both(responseTime) },
    ],
  };
}

type Periods = (Period | undefined)[];

/** Periods of several databases, with one entry for each period. */
function total(periods: readonly Period[]): Period[] {
  const merged = new Map<string, Period>();
  for (const period of periods) {
    const other = merged.get(period.period);
    merged.set(period.period, other ? { ...other, ...sumOfPeriods([other, period]) } : period);
  }
  return [...merged.values()];
}

function p95Of(period: Period | undefined): number | null {
  return typeof period?.p95 === "number" ? Number(period.p95.toPrecision(4)) : null;
}

function responseTime(period: Period | undefined): number | null {
  if (period === undefined || period.avg_response_time_ms === 0) return null;
  return Number(period.avg_response_time_ms.toPrecision(4));
}

/** Almost 1 is not rounded to 1, nor is almost 0 to 0. */
function successRate(period: Period | undefined): number | null {
  const value = rounded(period?.success_rate);
  if (value === null || value === period?.success_rate) return value;
  return Math.min(0.9999, Math.max(0.0001, value));
}

/** Fewer digits make the page smaller. */
function rounded(value: number | null | undefined): number | null {
  return value === null || value === undefined ? null : Number(value.toFixed(4));
}

/** Starts of all periods from the first to the last; without the empty periods if there are too many of them. */
function timelineOf(bucket: Bucket, trends: readonly (readonly Period[])[]): number[] {
  const found = new Set(trends.flat().map(({ period }) => startOf(period)));
  const starts = [...found].filter(Number.isFinite).toSorted((one, other) => one - other);
  const [first, last] = [starts[0], starts.at(-1)];
  if (first === undefined || last === undefined) return [];
  const most = starts.length * (1 + MOST_EMPTY) + 10;
  const filled: number[] = [];
  for (let start = first; start <= last; start = next(bucket, start)) {
    if (filled.length > most) return starts;
    filled.push(start);
  }
  return filled;
}

function next(bucket: Bucket, start: number): number {
  if (bucket !== "month") return start + STEP[bucket];
  const date = new Date(start * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000;
}

function along(timeline: readonly number[], periods: readonly Period[]): Periods {
  const byStart = new Map(periods.map((period) => [startOf(period.period), period]));
  return timeline.map((start) => byStart.get(start));
}

/** Seconds since 1970. */
function startOf(period: string): number {
  return Date.parse(period.length === 10 ? `${period}T00:00:00Z` : `${period}Z`) / 1000;
}
