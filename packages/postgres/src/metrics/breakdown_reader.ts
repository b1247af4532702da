import type { BreakdownFigures, BreakdownRow } from "@perdura/internals/metrics/breakdown/breakdown.js";
import type { AskedBreakdown } from "@perdura/internals/metrics/breakdown/breakdown_arguments.js";
import { type FoundKeys, LOOKED_AT, suitedKeys } from "@perdura/internals/metrics/breakdown/found_keys.js";
import { canonicalName, valueOf } from "@perdura/internals/metrics/breakdown/value_names.js";
import { rate } from "@perdura/internals/metrics/user_stats.js";
import type { Session } from "../connection/connection.ts";
import { jsonText, readableMetadata } from "../layout/column_types.ts";
import { declaredKeys } from "../layout/declare_keys.ts";
import { withMetadata } from "../layout/key_sums.ts";
import type { Names } from "../layout/names.ts";
import type { Tables } from "../layout/set_up.ts";
import { MEASURED } from "../layout/sums.ts";
import { nameOf, numberOf } from "../layout/value_names.ts";
import { Parameters } from "./parameters.ts";
import { percentilesOf } from "./percentile_reader.ts";

/** The figures of a value. */
export interface FoundValue extends Record<`sum${number}`, string | null>, Record<`count${number}`, number> {
  /** Null for the values beyond the limit. */
  name: string | null;
  /** Number of all values. */
  names: number;
  operations: number;
  successes: number;
  /** Mean response time in decimal digits. */
  mean: string | null;
  p50: number | null;
  p95: number | null;
  p99: number | null;
}

/** Computes a breakdown by a key of the metadata from the rows, in one statement (ruling U-breakdown). */
export async function readBreakdown(
  session: Session,
  { names, isSpread }: Tables,
  asked: AskedBreakdown,
): Promise<BreakdownRow[]> {
  const { numbers, key, limit } = asked;
  const given = new Parameters();
  const conditions = given.conditions(names, asked);
  const keyGiven = given.add(key);
  const values = numbers.map((name, index) => ({ index, given: given.add(name) }));
  const found = await session.query<FoundValue>(
    `WITH counted AS MATERIALIZED (
       SELECT ${nameOf("value")} AS name, success, ms${values.map(({ index }) => `, ${numberOf(`value${index}`)} AS number${index}`).join("")}
       FROM (SELECT success, ms, metadata -> ${keyGiven} AS value${values.map(({ index, given: number }) => `, metadata -> ${number} AS value${index}`).join("")}
         FROM (SELECT i.success, CASE WHEN ${MEASURED} THEN i.response_time_ms::double precision END AS ms,
             ${readableMetadata("m")} AS metadata
           FROM ${withMetadata(names, isSpread)}
           WHERE ${conditions} OFFSET 0) AS rows OFFSET 0) AS valued
     ), named AS MATERIALIZED (
       SELECT name, count(*) AS operations FROM counted GROUP BY name
     ), most AS MATERIALIZED (
       SELECT name FROM named ORDER BY operations DESC, name COLLATE "C" LIMIT ${given.add(limit)}
     )
     SELECT most.name, (SELECT count(*) FROM named)::integer AS names, count(*)::double precision AS operations,
       count(*) FILTER (WHERE success)::double precision AS successes, (sum(ms::text::numeric) / nullif(count(ms), 0))::text AS mean,
       ${percentilesOf("ms")}
       ${values.map(({ index }) => `, sum(number${index})::text AS sum${index}, count(number${index})::double precision AS count${index}`).join("")}
     FROM counted LEFT JOIN most ON most.name = counted.name
     GROUP BY most.name ORDER BY most.name IS NULL, count(*) DESC, most.name COLLATE "C"`,
    given.values,
  );
  return breakdownRows(found, asked);
}

/** @param found The values in the order of the answer, those beyond the limit last. */
export function breakdownRows(found: readonly FoundValue[], { numbers }: AskedBreakdown): BreakdownRow[] {
  return found.map((row) => {
    const figures = figuresOf(row, numbers);
    return row.name === null
      ? { others: row.names - (found.length - 1), ...figures }
      : { value: valueOf(canonicalName(row.name)), ...figures };
  });
}

/** Finds the declared keys, or else those that suit a breakdown (ruling U-breakdown). */
export async function findBreakdownKeys(session: Session, names: Names): Promise<FoundKeys> {
  const { keys, numbers } = await declaredKeys(session, names);
  if (keys.length > 0) return { keys: keys.map((key) => ({ key, isDeclared: true })), numbers };
  const rows = await session.query<{ metadata: string }>(
    `SELECT ${jsonText("metadata", "m")} AS metadata FROM ${names.interactionMetadata} AS m ORDER BY interaction_id DESC LIMIT ${LOOKED_AT}`,
  );
  return { keys: suitedKeys(rows.map(({ metadata }) => metadata)), numbers };
}

function figuresOf(row: FoundValue, numbers: readonly string[]): BreakdownFigures {
  const { operations, successes, mean, p50, p95, p99 } = row;
  const summed = numbers.map((name, index) => {
    const [sum, count] = [Number(row[`sum${index}`] ?? 0), row[`count${index}`] as number];
    return [name, { count, sum, mean: rate(sum, count) }] as const;
  });
  return {
    total_operations: operations,
    success_rate: rate(successes, operations),
    avg_response_time_ms: Number(mean ?? 0),
    p50,
    p95,
    p99,
    ...(numbers.length === 0 ? {} : { numbers: Object.fromEntries(summed) }),
  };
}
