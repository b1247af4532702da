import { isObject } from "../../../../packages/conformance/src/values/json_value.ts";
import type { JsonObject, JsonValue } from "../../../../packages/conformance/src/values/json_value.ts";
import { opens, runs } from "./metrics_mutations.ts";
import { answers, ok, receives, refuses, rowIn } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";
import { DAY, HOUR, RULES, before, follows, lists, startOfWeek } from "./trend_mutations.ts";
import type { Bucket, TrendRules } from "./trend_mutations.ts";

const inTrends = rowIn("trends");
const wrong = (name: string, line: 15 | 16, kills: string, mutation: Mutation): Mutant =>
  inTrends(name, "U-trends", line, kills, mutation);

const BUCKETS: readonly unknown[] = [undefined, "hour", "day", "week", "month"];
const each = (change: (row: JsonObject) => JsonObject): Mutation => lists((rows) => rows.map(change));
const withoutTrust = ({ trust: _trust, ...rest }: JsonObject): JsonObject => rest;
const NEW_YORK: number = 5 * HOUR;

/** Changes the times of stored timestamps. */
const moves =
  (change: (moment: number) => number): TrendRules["moment"] =>
  (timestamp) => {
    const moment = RULES.moment(timestamp);
    return moment === undefined ? undefined : change(moment);
  };

/** The start of the period in which a range begins. */
const startOf = (since: number, bucket: Bucket): number =>
  Number.isFinite(since) ? RULES.start(since, bucket) : since;

/** Leaves out the options that `known` does not accept, instead of refusing them. */
const drops = (op: string, known: (name: string, given: JsonValue) => boolean): Mutation =>
  receives(op, (args) => Object.fromEntries(Object.entries(args).filter(([name, given]) => known(name, given))));

const atMostOne = (figures: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, figure === 1.5 ? 1 : figure]));

/** Adds a row for each day after a row, until the next one. */
const filled = (rows: JsonObject[]): JsonObject[] =>
  rows.flatMap((row, index) => {
    const next = Date.parse(dayOf(rows[index + 1] ?? row));
    const days: JsonObject[] = [row];
    for (let day = Date.parse(dayOf(row)) + DAY; day < next; day += DAY)
      days.push({ ...row, period: new Date(day).toISOString().slice(0, 10), total_operations: 0 });
    return days;
  });
const dayOf = ({ period }: JsonObject): string => String(period).slice(0, 10);

/** Answers every trend after the first one of its kind with the first answer. */
function remembers(): Mutation {
  const known = new Map<string, JsonObject[]>();
  return {
    before(request) {
      if (request.op === "MetricsCollector") known.clear();
      return request;
    },
    ...lists((rows, request) => {
      const key = JSON.stringify([request.op, request.args]);
      known.set(key, known.get(key) ?? rows);
      return known.get(key) ?? rows;
    }),
  };
}

/** Faults of trends (ruling U-trends). */
export const TRENDS: readonly Mutant[] = [
  // Periods.
  wrong(
    "returns the sum as the mean of a day",
    16,
    "day",
    each((row) => ({
      ...row,
      avg_response_time_ms: (row.avg_response_time_ms as number) * (row.total_operations as number),
    })),
  ),
  wrong(
    "leaves out levels that did not occur in a day",
    15,
    "day",
    each((row) =>
      Object.fromEntries(Object.entries(row).filter(([key, value]) => !key.startsWith("level_") || value !== 0)),
    ),
  ),
  wrong(
    "begins days at midnight of New York",
    16,
    "hour",
    follows({
      moment: moves((moment) => moment - NEW_YORK),
    }),
  ),
  wrong(
    "shows hours without their date",
    15,
    "hour",
    each((row) => ({
      ...row,
      period: String(row.period).slice(-8),
    })),
  ),
  wrong(
    "begins weeks on Sunday",
    16,
    "week",
    follows({
      start: (moment, bucket) => (bucket === "week" ? startOfWeek(moment, 0) : RULES.start(moment, bucket)),
    }),
  ),
  wrong(
    "cuts a week at the end of the year",
    15,
    "week",
    follows({
      start: (moment, bucket) => Math.max(RULES.start(moment, bucket), Date.UTC(new Date(moment).getUTCFullYear(), 0)),
    }),
  ),
  wrong(
    "has months of thirty days",
    16,
    "month",
    follows({
      start: (moment, bucket) =>
        bucket === "month" ? Math.floor(moment / (30 * DAY)) * 30 * DAY : RULES.start(moment, bucket),
    }),
  ),
  wrong("returns empty days", 15, "empty-periods", lists(filled)),
  wrong(
    "counts a missing response time as 0 in a trend",
    16,
    "missing-response-times",
    opens(runs("UPDATE interactions SET response_time_ms = 0 WHERE response_time_ms IS NULL")),
  ),
  wrong(
    "leaves out interactions without a response time",
    15,
    "missing-response-times",
    opens(runs("DELETE FROM interactions WHERE response_time_ms IS NULL")),
  ),
  wrong(
    "returns the latest period first",
    16,
    "order-of-time",
    lists((rows) => rows.toReversed()),
  ),

  // Ranges.
  wrong(
    "includes until",
    16,
    "range",
    follows({
      within: ({ moment }, { since, until }) => moment >= since && moment <= until,
    }),
  ),
  wrong(
    "leaves out since",
    15,
    "range",
    follows({
      within: ({ moment }, { since, until }) => moment > since && moment < until,
    }),
  ),
  wrong(
    "selects whole periods",
    16,
    "range",
    follows({
      within: ({ moment }, { since, until }, bucket) =>
        moment >= startOf(since, bucket) && RULES.start(moment, bucket) < until,
    }),
  ),
  wrong(
    "compares times as text",
    15,
    "range-spellings",
    follows({
      within: ({ timestamp }, { sinceText, untilText }) =>
        String(timestamp) >= sinceText && String(timestamp) < untilText,
    }),
  ),
  wrong(
    "reads since and until as times of New York",
    16,
    "range-spellings",
    follows({
      limit: (text) => RULES.limit(text) + (text.endsWith("Z") ? 0 : NEW_YORK),
    }),
  ),
  wrong(
    "cuts since and until to seconds",
    16,
    "range-spellings",
    follows({
      limit: (text) => Math.floor(RULES.limit(text) / 1000) * 1000,
    }),
  ),

  // Trust.
  wrong(
    "starts trust again in every period",
    16,
    "trust",
    follows({
      trusted: (all, period, limits) => RULES.trusted(all, period, limits).filter((row) => !before(row, period.start)),
    }),
  ),
  wrong(
    "returns the latest trust with every period",
    15,
    "trust",
    follows({
      trusted: (all, _period, { until }) => all.filter((row) => before(row, until)),
    }),
  ),
  wrong(
    "returns trust with the last period only",
    16,
    "trust",
    lists((rows) => rows.map((row, index) => (index === rows.length - 1 ? row : withoutTrust(row)))),
  ),
  wrong(
    "takes from trust as much as it adds",
    15,
    "trust",
    receives("get_user_trend", (args) => ({ ...args, trust: { loss: 0.05 } })),
  ),
  wrong("holds trust within 0 and 1 at the end only", 16, "trust-limits", follows({ held: (trust) => trust })),
  wrong("holds trust below 1 only", 15, "trust-limits", follows({ held: (trust) => Math.min(1, trust) })),
  wrong(
    "counts trust from since on",
    16,
    "trust-and-range",
    follows({
      trusted: (all, period, limits) => RULES.trusted(all, period, limits).filter((row) => !before(row, limits.since)),
    }),
  ),
  wrong(
    "counts trust beyond until",
    15,
    "trust-and-range",
    follows({
      trusted: (all, { end }) => all.filter((row) => before(row, end)),
    }),
  ),
  wrong(
    "counts trust in the order of time",
    16,
    "trust-order",
    follows({
      trusted: (all, period, limits) =>
        RULES.trusted(all, period, limits).toSorted((a, b) => (a.moment ?? 0) - (b.moment ?? 0)),
    }),
  ),
  wrong(
    "ignores the figures of trust",
    15,
    "trust-figures",
    drops("get_user_trend", (name) => name !== "trust"),
  ),
  wrong(
    "needs all figures of trust",
    16,
    "trust-figures",
    receives("get_user_trend", (args) =>
      "trust" in args ? { ...args, trust: { initial: 0, gain: 0, loss: 0, ...(args.trust as JsonObject) } } : args,
    ),
  ),

  // Timestamps.
  wrong(
    "ignores zones",
    16,
    "timestamps",
    follows({
      moment: (timestamp) => RULES.moment(timestamp?.slice(0, 19) ?? null),
    }),
  ),
  wrong(
    "rounds timestamps to seconds",
    15,
    "timestamps",
    follows({
      moment: moves((moment) => Math.round(moment / 1000) * 1000),
    }),
  ),
  wrong(
    "reads no timestamp with a T",
    16,
    "timestamps",
    opens(runs("UPDATE interactions SET timestamp = NULL WHERE timestamp LIKE '%T%'")),
  ),
  wrong(
    "counts interactions without a time as of 1970",
    15,
    "without-time",
    follows({
      moment: (timestamp) => RULES.moment(timestamp) ?? 0,
    }),
  ),
  wrong(
    "changes trust by interactions without a time",
    16,
    "without-time",
    follows({
      trusted: (all, period, limits) =>
        all.filter((row) => row.moment === undefined || RULES.trusted([row], period, limits).length === 1),
    }),
  ),

  // Users.
  wrong(
    "mixes the trends of users whose ids differ in case",
    16,
    "own-interactions",
    opens(runs("UPDATE interactions SET user_id = lower(user_id)")),
  ),
  wrong(
    "refuses the trend of an unknown user",
    15,
    "unknown-user",
    refuses("get_user_trend", (args) => args.user_id === "nobody"),
  ),
  wrong(
    "returns a row of zeros for an unknown user",
    16,
    "unknown-user",
    lists((rows) => (rows.length === 0 ? [{ period: "1970-01-01", total_operations: 0 }] : rows)),
  ),
  wrong(
    "returns trust in the global trend",
    16,
    "global",
    lists((rows, request) => (request.op === "get_global_trend" ? rows.map((row) => ({ ...row, trust: 0.5 })) : rows)),
  ),
  wrong(
    "ignores the options of the global trend",
    15,
    "global",
    drops("get_global_trend", () => false),
  ),

  // Recorded interactions.
  wrong("remembers a trend", 16, "recorded", remembers()),
  wrong(
    "ignores since and until",
    15,
    "recorded-range",
    receives("get_user_trend", ({ since: _since, until: _until, ...args }) => args),
  ),

  // Refusals.
  wrong(
    "counts by days for an unknown bucket",
    16,
    "refused-buckets",
    drops("get_user_trend", (name, value) => name !== "bucket" || BUCKETS.includes(value)),
  ),
  wrong(
    "returns nothing for an unknown bucket",
    15,
    "refused-buckets",
    answers("get_global_trend", (answer, { args }) => (BUCKETS.includes(args.bucket) ? answer : ok(answer, []))),
  ),
  wrong(
    "accepts days that do not exist",
    16,
    "refused-times",
    receives("get_user_trend", (args) => (args.since === "2025-02-30" ? { ...args, since: "2025-03-02" } : args)),
  ),
  wrong(
    "ignores zones of since",
    15,
    "refused-times",
    receives("get_global_trend", (args) =>
      typeof args.since === "string" ? { ...args, since: args.since.replace(/\+.*$/, "") } : args,
    ),
  ),
  wrong(
    "accepts figures of trust above 1",
    16,
    "refused-figures",
    receives("get_user_trend", (args) => (isObject(args.trust) ? { ...args, trust: atMostOne(args.trust) } : args)),
  ),
  wrong(
    "ignores unknown options",
    15,
    "refused-arguments",
    drops("get_user_trend", (name) => ["user_id", "bucket", "since", "until", "trust"].includes(name)),
  ),
];
