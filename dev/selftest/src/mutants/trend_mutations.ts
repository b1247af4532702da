import Database from "better-sqlite3";
import type { JsonObject, JsonValue } from "../../../../packages/conformance/src/values/json_value.ts";
import { ok, value } from "./mutations.ts";
import type { Call, Mutation } from "./mutations.ts";

/** Milliseconds of a period; a month has none. */
export const HOUR = 3_600_000;
export const DAY: number = 24 * HOUR;

export type Bucket = "hour" | "day" | "week" | "month";

/** One stored interaction. `moment` is its time in milliseconds since 1970, undefined if it has none. */
export interface Interaction {
  id: number;
  user_id: string;
  level: number;
  success: number;
  response_time_ms: number | null;
  timestamp: string | null;
  moment: number | undefined;
}

/** `since` and `until` as they were sent, and in milliseconds since 1970. */
export interface Limits {
  since: number;
  until: number;
  sinceText: string;
  untilText: string;
}

/** The rules of `U-trends`; a mutant breaks one of them. */
export interface TrendRules {
  /** The time of a stored timestamp. */
  moment: (timestamp: string | null) => number | undefined;
  /** The time of a `since` or `until`. */
  limit: (text: string) => number;
  /** The start of the period that contains a time. */
  start: (moment: number, bucket: Bucket) => number;
  /** True if an interaction is in the trend. */
  within: (row: Interaction & { moment: number }, limits: Limits, bucket: Bucket) => boolean;
  /** The interactions that the trust of a period follows from, from those of the user in the order of ids. */
  trusted: (all: Interaction[], period: { start: number; end: number }, limits: Limits) => Interaction[];
  /** Trust after an interaction. */
  held: (trust: number) => number;
}

/** Trust within 0 and 1. */
const clamped = (trust: number): number => Math.min(1, Math.max(0, trust));

/** True if the time of an interaction is known and before a limit. */
export const before = ({ moment }: Interaction, limit: number): boolean => moment !== undefined && moment < limit;

/** The rules without a fault. */
export const RULES: TrendRules = {
  moment: (timestamp) => (timestamp === null ? undefined : timeOf(timestamp)),
  limit: (text) => timeOf(text) ?? Number.NaN,
  start: startOf,
  within: ({ moment }, { since, until }) => moment >= since && moment < until,
  trusted: (all, { end }, { until }) => all.filter((row) => before(row, Math.min(end, until))),
  held: clamped,
};

/** Milliseconds since 1970 of a text; without a zone it is UTC. */
function timeOf(text: string): number | undefined {
  const [, date, time = "00:00:00", zone = "Z"] = /^(\S{10})(?:[ T]([\d:.]+)(\S+)?)?$/.exec(text) ?? [];
  const moment = Date.parse(`${date}T${time}${zone}`);
  return Number.isNaN(moment) ? undefined : moment;
}

function startOf(moment: number, bucket: Bucket): number {
  if (bucket === "month") return Date.UTC(new Date(moment).getUTCFullYear(), new Date(moment).getUTCMonth());
  if (bucket === "week") return startOfWeek(moment, 1);
  const length = bucket === "hour" ? HOUR : DAY;
  return Math.floor(moment / length) * length;
}

/** The start of a week. 1970 began on a Thursday. */
export function startOfWeek(moment: number, firstDay: number): number {
  const offset = (firstDay + 3) * DAY;
  return Math.floor((moment - offset) / (7 * DAY)) * 7 * DAY + offset;
}

/** The first time after a period. The 32nd day after the start of a month is always in the next month. */
function endOf(start: number, bucket: Bucket, rules: TrendRules): number {
  if (bucket !== "month") return start + { hour: HOUR, day: DAY, week: 7 * DAY }[bucket];
  return rules.start(start + 32 * DAY, "month");
}

/** Changes the rows of both trends. */
export const lists = (change: (rows: JsonObject[], request: Call) => JsonValue): Mutation => ({
  answer: (request, answer) =>
    isTrend(request) ? value(answer, (rows) => change(rows as JsonObject[], request)) : answer,
});

const isTrend = ({ op }: Call): boolean => op === "get_user_trend" || op === "get_global_trend";

/** Replaces the answers of both trends by rows that follow from other rules. Refusals stay those of the implementation. */
export function follows(broken: Partial<TrendRules>): Mutation {
  const rules = { ...RULES, ...broken };
  const paths = new Map<string, string>();
  return {
    before(request) {
      if (request.op === "MetricsCollector") paths.set(String(request.keep), String(request.args.db_path));
      return request;
    },
    answer: (request, answer) =>
      isTrend(request) && answer.type === "ok"
        ? ok(request, trendOf(paths.get(String(request.handle)) as string, request, rules))
        : answer,
  };
}

function trendOf(path: string, { args }: Call, rules: TrendRules): JsonValue {
  const bucket = (args.bucket ?? "day") as Bucket;
  const limits = limitsOf(args, rules);
  const all = interactionsOf(path, args.user_id as string | undefined, rules);
  const periods = new Map<number, Interaction[]>();
  for (const row of all) {
    const { moment } = row;
    if (moment === undefined || !rules.within({ ...row, moment }, limits, bucket)) continue;
    const start = rules.start(moment, bucket);
    periods.set(start, [...(periods.get(start) ?? []), row]);
  }
  return [...periods]
    .toSorted(([a], [b]) => a - b)
    .map(([start, rows]) => {
      const period = { start, end: endOf(start, bucket, rules) };
      const statistics = { period: nameOf(start, bucket), ...statisticsOf(rows) };
      if (args.user_id === undefined) return statistics;
      return { ...statistics, trust: trustOf(rules.trusted(all, period, limits), args, rules) };
    });
}

function limitsOf({ since, until }: JsonObject, rules: TrendRules): Limits {
  return {
    since: typeof since === "string" ? rules.limit(since) : -Infinity,
    until: typeof until === "string" ? rules.limit(until) : Infinity,
    sinceText: typeof since === "string" ? since : "",
    untilText: typeof until === "string" ? until : "~",
  };
}

function interactionsOf(path: string, user: string | undefined, rules: TrendRules): Interaction[] {
  const database = new Database(path, { fileMustExist: true });
  try {
    const rows = database.prepare("SELECT * FROM interactions ORDER BY id").all() as (Interaction & {
      empathy_level?: number;
    })[];
    return rows
      .filter((row) => user === undefined || row.user_id === user)
      .map((row) => ({ ...row, timestamp: row.timestamp === null ? null : String(row.timestamp) }))
      .map((row) => ({ ...row, level: row.empathy_level ?? row.level, moment: rules.moment(row.timestamp) }));
  } finally {
    database.close();
  }
}

function nameOf(start: number, bucket: Bucket): string {
  const text = new Date(start).toISOString();
  return bucket === "hour" ? text.slice(0, 19) : text.slice(0, 10);
}

function statisticsOf(rows: readonly Interaction[]): JsonObject {
  const times = rows.flatMap(({ response_time_ms: time }) => (time === null ? [] : [time]));
  const sum = times.reduce((total, time) => total + time, 0);
  const countOf = (level: number): number => rows.filter((row) => row.level === level).length;
  return {
    total_operations: rows.length,
    success_rate: rows.filter(({ success }) => success !== 0).length / rows.length,
    avg_response_time_ms: times.length === 0 ? 0 : sum / times.length,
    ...Object.fromEntries([1, 2, 3, 4, 5].map((level) => [`level_${level}_count`, countOf(level)])),
  };
}

function trustOf(rows: readonly Interaction[], args: JsonObject, rules: TrendRules): number {
  const figures = (args.trust ?? {}) as Record<string, number>;
  const { initial = 0.5, gain = 0.05, loss = 0.1 } = figures;
  return clamped(rows.reduce((trust, { success }) => rules.held(trust + (success === 0 ? -loss : gain)), initial));
}
