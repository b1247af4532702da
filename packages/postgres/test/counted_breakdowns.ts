import { createHash } from "node:crypto";
import type { BreakdownOptions, BreakdownRow } from "@perdura/internals/metrics/breakdown/breakdown.js";
import { askedBreakdown } from "@perdura/internals/metrics/breakdown/breakdown_arguments.js";
import { type Percentiles, RELATIVE_ERROR } from "@perdura/internals/metrics/breakdown/percentiles.js";
import { ALWAYS } from "@perdura/internals/metrics/time_range.js";
import type { Pool } from "pg";
import { expect } from "vitest";
import type { Connection } from "../src/connection/connection.ts";
import type { Tables } from "../src/layout/set_up.ts";
import { readAnyBreakdown } from "../src/metrics/key_reader.ts";
import { readAnyPercentiles } from "../src/metrics/percentile_reader.ts";

/** The keys that are declared in properties. */
export const DECLARED = { keys: ["tool", "model"], numbers: ["tokens"] };

/** Text that an index of PostgreSQL refuses: digests, because compression would make other text short. */
export const LONG: string = Array.from({ length: 70 }, (_, each) =>
  createHash("sha256").update(String(each)).digest("hex"),
).join("");

/** Metadata of other programs. */
export const METADATA = [
  '{"tool": "search", "tokens": 5}',
  '{"tool": "fetch", "tokens": -2.5, "model": "a"}',
  '{"tool": 1, "tokens": 1e3}',
  '{"tool": null, "tokens": "5"}',
  '{"model": {"a": [1]}, "tokens": 0.1}',
  '{"tool": "\\ud800"}',
  "[]",
  `{"tool": "${LONG}", "tokens": 2}`,
  `{"tool": "${LONG}.", "model": {"a": "${LONG}"}}`,
];

/** Questions, with limits between days and within a day. */
const BREAKDOWNS: readonly (readonly [key: string, options: BreakdownOptions])[] = [
  ["tool", { numbers: ["tokens"] }],
  ["tool", { user_id: "a" }],
  ["model", { user_id: "b", since: "2024-01-01", until: "2025-06-01", numbers: ["tokens"] }],
  ["tool", { since: "2024-01-01T10:00:00", until: "2024-02-29T23:59:59.5" }],
  ["tool", { since: "2024-01-01T10:00:00", until: "2024-01-01T23:59:59.5", numbers: ["tokens"] }],
  ["model", { until: "2024-03-01" }],
  ["other", {}],
];

/** Questions about percentiles, of all days, of whole days, and of days that a limit divides. */
const PERCENTILES: readonly (readonly [by: "day" | "month" | undefined, options: BreakdownOptions])[] = [
  [undefined, {}],
  [undefined, { user_id: "a" }],
  [undefined, { since: "2024-01-01T10:00:00", until: "2024-02-29T23:59:59.5" }],
  ["day", { since: "2024-01-01T10:00:00" }],
  ["month", { user_id: "b", until: "2025-06-01" }],
];

/** Compares percentiles from sums with all response times. */
async function expectAllPercentiles(connection: Connection, tables: Tables, plain: Pool): Promise<void> {
  for (const [by, options] of PERCENTILES) {
    const { user, range } = askedBreakdown("tool", options);
    const chosen = { user, range: by === undefined ? range : (range ?? ALWAYS) };
    const { percentiles } = await connection.transaction("read", (session) =>
      readAnyPercentiles(session, tables, chosen, by, -1),
    );
    const { rows } = await plain.query<{ moment: string | null; ms: number }>(
      `SELECT perdura_moment(timestamp) AS moment, response_time_ms::double precision AS ms FROM interactions
       WHERE response_time_ms - response_time_ms = 0 AND ($1::text IS NULL OR user_id = $1)
         AND ($2::text IS NULL OR perdura_moment(timestamp) >= $2 AND perdura_moment(timestamp) < $3) ORDER BY ms`,
      [user, chosen.range?.since, chosen.range?.until],
    );
    const periodOf = (moment: string): string => (by === "day" ? moment.slice(0, 10) : `${moment.slice(0, 7)}-01`);
    const counted = Map.groupBy(rows, ({ moment }) => (by === undefined ? "" : periodOf(moment as string)));
    expect([...percentiles.keys()].toSorted(), JSON.stringify([by, options])).toEqual([...counted.keys()].toSorted());
    for (const [period, times] of counted)
      expectPercentiles(
        percentiles.get(period) as Percentiles,
        times.map(({ ms }) => ms),
      );
  }
}

interface Counted {
  /** JSON of the value. */
  value: string;
  operations: number;
  successes: number;
  mean: string | null;
  times: number[];
  count: number;
  sum: string | null;
}

/** Compares breakdowns and percentiles from sums with plain SQL. */
export async function expectBreakdowns(connection: Connection, tables: Tables, plain: Pool): Promise<void> {
  for (const [key, options] of BREAKDOWNS) {
    const asked = askedBreakdown(key, { ...options, limit: 10_000 });
    const { rows } = await connection.transaction("read", (session) => readAnyBreakdown(session, tables, asked, -1));
    const counted = await count(plain, tables.isSpread, key, options);
    const found = new Map(rows.map((row) => [JSON.stringify(row.value), row]));
    expect([...found.keys()].toSorted(), JSON.stringify([key, options])).toEqual(
      counted.map(({ value }) => value).toSorted(),
    );
    for (const each of counted) expectValue(found.get(each.value) as BreakdownRow, each, options.numbers !== undefined);
    const operations = rows.map((row) => row.total_operations);
    expect(operations).toEqual(operations.toSorted((one, other) => other - one));
  }
  await expectAllPercentiles(connection, tables, plain);
}

async function count(pool: Pool, isSpread: boolean, key: string, options: BreakdownOptions): Promise<Counted[]> {
  const { user_id: user, since, until } = options;
  const moment = "perdura_moment(timestamp)";
  const { rows } = await pool.query<Omit<Counted, "value"> & { value: string | null }>(
    `SELECT (nullif(of_key, 'null'))::text AS value, count(*)::int AS operations, count(*) FILTER (WHERE success)::int AS successes,
       avg(ms::text::numeric)::text AS mean, coalesce(array_agg(ms ORDER BY ms) FILTER (WHERE ms IS NOT NULL), '{}') AS times,
       count(tokens)::int AS count, sum(tokens)::text AS sum
     FROM (SELECT i.success, metadata::jsonb -> $1 AS of_key,
         CASE WHEN response_time_ms - response_time_ms = 0 THEN response_time_ms END AS ms,
         CASE WHEN jsonb_typeof(metadata::jsonb -> 'tokens') = 'number' THEN (metadata::jsonb ->> 'tokens')::numeric END AS tokens
       FROM interactions AS i LEFT JOIN (
         SELECT interaction_id${isSpread ? ", user_id" : ""}, nullif(metadata::text, '{"tool": "\\ud800"}') AS metadata FROM interaction_metadata
       ) AS m ON m.interaction_id = i.id${isSpread ? " AND m.user_id = i.user_id" : ""}
       WHERE ($2::text IS NULL OR i.user_id = $2) AND ($3::text IS NULL OR ${moment} >= $3) AND ($4::text IS NULL OR ${moment} < $4)
     ) AS rows GROUP BY 1`,
    [key, user, momentOf(since), momentOf(until)],
  );
  return rows.map((row) => ({ ...row, value: JSON.stringify(JSON.parse(row.value ?? "null")) }));
}

function momentOf(limit: Date | string | undefined): string | undefined {
  if (limit === undefined) return undefined;
  const text = limit as string;
  return new Date(text.length === 10 ? text : `${text}Z`).toISOString().slice(0, -1);
}

function expectValue(row: BreakdownRow, counted: Counted, hasNumbers: boolean): void {
  const { operations, successes, times, count: numbers, sum } = counted;
  expect(row).toMatchObject({ total_operations: operations, success_rate: successes / operations });
  const mean = Number(counted.mean ?? 0);
  expect(Math.abs(row.avg_response_time_ms - mean)).toBeLessThanOrEqual(1e-9 * Math.abs(mean));
  if (hasNumbers) expect(row.numbers?.["tokens"]).toMatchObject({ count: numbers, sum: Number(sum ?? 0) });
  expectPercentiles(row, times);
}

function expectPercentiles({ p50, p95, p99 }: Percentiles, times: readonly number[]): void {
  for (const [part, found] of [
    [0.5, p50],
    [0.95, p95],
    [0.99, p99],
  ] as const) {
    const place = part * (times.length - 1);
    const [lower, upper] = [times[Math.floor(place)], times[Math.ceil(place)]];
    if (lower === undefined || upper === undefined) expect(found).toBeNull();
    else {
      const margin = (time: number): number => RELATIVE_ERROR * 1.001 * Math.abs(time) + 1e-6;
      expect(found).toBeGreaterThanOrEqual(lower - margin(lower));
      expect(found).toBeLessThanOrEqual(upper + margin(upper));
    }
  }
}
