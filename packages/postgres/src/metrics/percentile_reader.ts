import type { Percentiles } from "@perdura/internals/metrics/breakdown/percentiles.js";
import type { ChosenRows } from "@perdura/internals/metrics/chosen_rows.js";
import type { Bucket } from "@perdura/internals/metrics/trends/trend.js";
import type { Session } from "../connection/connection.ts";
import type { Names } from "../layout/names.ts";
import { MEASURED } from "../layout/sums.ts";
import { Parameters } from "./parameters.ts";

/** SQL for the percentiles of response times. */
export const percentilesOf = (ms: string): string =>
  [0.5, 0.95, 0.99]
    .map((part) => `(percentile_cont(${part}) WITHIN GROUP (ORDER BY ${ms})) AS p${Math.round(part * 100)}`)
    .join(", ");

const OF_ROWS = percentilesOf("i.response_time_ms::double precision");

/**
 * Reads the percentiles of the response times from the rows, by the start of a period or by user; by empty text without
 * groups.
 */
export async function readPercentiles(
  session: Session,
  names: Names,
  chosen: ChosenRows,
  by?: Bucket | "user",
): Promise<ReadonlyMap<string, Percentiles>> {
  const given = new Parameters();
  const conditions = given.conditions(names, chosen);
  const period = (bucket: Bucket): string => `${names.period}(${given.add(bucket)}, ${names.moment}(i.timestamp))`;
  const group = by === undefined ? "''" : by === "user" ? "i.user_id" : period(by);
  const found = await session.query<Percentiles & { group: string }>(
    `SELECT ${group} AS "group", ${OF_ROWS} FROM ${names.interactions} AS i WHERE ${conditions} AND ${MEASURED} GROUP BY 1`,
    given.values,
  );
  return new Map(found.map(({ group: name, p50, p95, p99 }) => [name, { p50, p95, p99 }]));
}
