import type { MetricsSummary, PatternsSummary, Summary } from "../document.ts";
import { counted, fraction, percent, responseTime, wholeNumber } from "./figures.ts";
import { markup } from "./markup.ts";
import { type Tile, withUnit } from "./tiles.ts";

/** The figures of a whole summary. */
export interface Totals {
  metrics: MetricsSummary[];
  operations: number;
  /** Number of different users; null if the summary does not list all users of several databases. */
  users: number | null;
  /** 0 to 1; null without operations. */
  success_rate: number | null;
  /** Milliseconds; null without response times. With several databases, weighted by their operations. */
  avg_response_time_ms: number | null;
  /** Sums of the levels 1 to 5; null without any. */
  levels: number[] | null;
  /** Number of patterns with different ids. */
  patterns: number;
  pattern_sources: PatternsSummary[];
  /** Numbers of patterns in steps of confidence of 0.1. */
  by_confidence: number[];
  states: number;
  avg_trust: number | null;
  databases: number;
}

/** Sums and means over all databases, libraries and state directories; archives and backups are not included. */
export function totalsOf({ databases, libraries, state_directories, different_patterns }: Summary): Totals {
  const metrics = databases.flatMap((database) => database.metrics ?? []);
  const patternSources = [
    ...databases.flatMap((database) => database.patterns ?? []),
    ...libraries.map(({ patterns }) => patterns),
  ];
  const levels = metrics.flatMap((each) => (each.levels === null ? [] : [each.levels]));
  const operations = sum(metrics.map((each) => each.operations));
  return {
    metrics,
    operations,
    users: differentUsers(metrics),
    success_rate: mean(metrics.map((each) => [each.success_rate, each.operations])),
    avg_response_time_ms: mean(
      metrics
        .filter((each) => each.avg_response_time_ms !== 0)
        .map((each) => [each.avg_response_time_ms, each.operations]),
    ),
    levels: levels.length === 0 ? null : [0, 1, 2, 3, 4].map((index) => sum(levels.map((each) => each[index] ?? 0))),
    patterns: different_patterns,
    pattern_sources: patternSources,
    by_confidence: Array.from({ length: 10 }, (_each, index) =>
      sum(patternSources.map(({ by_confidence }) => by_confidence[index] ?? 0)),
    ),
    states: sum(state_directories.map(({ states }) => states)),
    avg_trust: mean(
      state_directories.flatMap(({ avg_trust, states }) => (avg_trust === null ? [] : [[avg_trust, states] as const])),
    ),
    databases: databases.length,
  };
}

/** Tiles of the totals; subjects without data have none. */
export function totalTiles(summary: Summary, totals: Totals = totalsOf(summary)): Tile[] {
  const several = totals.metrics.length > 1;
  return [
    ...(totals.metrics.length === 0
      ? []
      : [
          {
            name: "Operations",
            value: wholeNumber(totals.operations),
            detail: [
              ...(totals.users === null ? [] : [`of ${counted(totals.users, "user")}`]),
              ...(several ? [`in ${counted(totals.metrics.length, "database")}`] : []),
            ].join(" "),
          },
          {
            name: "Success rate",
            value: percent(totals.success_rate),
            detail: totals.success_rate === null ? undefined : `${percent(1 - totals.success_rate)} failed`,
          },
          {
            name: "Mean response time",
            value: withUnit(responseTime(totals.avg_response_time_ms)),
            detail: several ? "weighted by operations" : undefined,
          },
        ]),
    ...(totals.pattern_sources.length === 0
      ? []
      : [{ name: "Patterns", value: wholeNumber(totals.patterns), detail: patternDetail(totals) }]),
    ...(summary.state_directories.length === 0
      ? []
      : [
          {
            name: "Collaboration states",
            value: wholeNumber(totals.states),
            detail: totals.avg_trust === null ? undefined : `mean trust ${fraction(totals.avg_trust)}`,
          },
        ]),
    ...(summary.unreadable.length === 0
      ? []
      : [
          {
            name: "Unreadable paths",
            value: wholeNumber(summary.unreadable.length),
            detail: markup`<a href="#unreadable">see the reasons</a>`,
            loud: true,
          },
        ]),
  ];
}

/** Users of several databases may be the same, so their numbers cannot be added. */
function differentUsers(metrics: readonly MetricsSummary[]): number | null {
  const [only, second] = metrics;
  if (second === undefined) return only?.users ?? 0;
  if (metrics.some(({ users, top_users }) => top_users.length < users)) return null;
  return new Set(metrics.flatMap(({ top_users }) => top_users.map(({ user_id }) => user_id))).size;
}

/** Libraries are often copies of each other, so their uses cannot be added. */
function patternDetail({ pattern_sources: [only, ...others] }: Totals): string {
  return only !== undefined && others.length === 0
    ? counted(only.usage_count, "use")
    : `in ${wholeNumber(others.length + 1)} sources`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Mean of values with weights; null without any weight. */
function mean(pairs: readonly (readonly [value: number, weight: number])[]): number | null {
  const weight = sum(pairs.map(([, each]) => each));
  return weight === 0 ? null : sum(pairs.map(([value, each]) => value * each)) / weight;
}
