import {
  bucketOf,
  EXACT_UP_TO,
  type Percentiles,
  percentilesOfBuckets,
} from "@perdura/internals/metrics/breakdown/percentiles.js";
import type { ChosenRows } from "@perdura/internals/metrics/chosen_rows.js";
import type { Bucket } from "@perdura/internals/metrics/trends/trend.js";
import type { QueryResultRow } from "pg";
import type { Session } from "../connection/connection.ts";
import { isStorable } from "../connection/storable.ts";
import { mayAskKeys } from "../layout/declare_keys.ts";
import { ALL_DAYS } from "../layout/key_sums.ts";
import type { Names } from "../layout/names.ts";
import type { Tables } from "../layout/set_up.ts";
import { MEASURED } from "../layout/sums.ts";
import { areBehind, keyParts, type SumsOfKey } from "./key_parts.ts";
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

/** Percentiles, and true if sums would answer faster after a fold. */
interface Read {
  percentiles: ReadonlyMap<string, Percentiles>;
  isBehind: boolean;
}

/**
 * The same from the sums of any key, whose values together are all interactions, if there are more response times than
 * percentiles are exact for; hours only from the rows. The session sees one moment.
 */
export async function readAnyPercentiles(
  session: Session,
  tables: Tables,
  chosen: ChosenRows,
  by?: Bucket,
  exactUpTo: number = EXACT_UP_TO,
): Promise<Read> {
  const { names } = tables;
  const isNobody = chosen.user !== undefined && !isStorable(chosen.user);
  const key = by === "hour" || isNobody ? undefined : await keyWithSums(session, tables);
  const fromRows = (): Promise<Read["percentiles"]> => readPercentiles(session, names, chosen, by);
  if (key === undefined) return { percentiles: await fromRows(), isBehind: false };
  const isBehind = await areBehind(session, names, key);
  const found = await timesByBucket(session, tables, chosen, by, key);
  if (found.reduce((sum, { times }) => sum + times, 0) <= exactUpTo) return { percentiles: await fromRows(), isBehind };
  const periods = Map.groupBy(found, ({ period }) => period);
  const percentiles = new Map(
    [...periods].map(([period, times]) => [
      period,
      percentilesOfBuckets(new Map(times.map(({ bucket, times: count }) => [bucket, count]))),
    ]),
  );
  return { percentiles, isBehind };
}

/** The key with the fewest values among those that have sums; undefined without one, or if this role may not read them. */
export async function keyWithSums(session: Session, { names, isDistributed }: Tables): Promise<SumsOfKey | undefined> {
  if (isDistributed || !(await mayAskKeys(session, names))) return undefined;
  const [key] = await session.query<SumsOfKey & QueryResultRow>(
    `SELECT key_id, watermark::text AS watermark FROM ${names.summedKeys} AS known WHERE is_summed ORDER BY (
       SELECT count(*) FROM ${names.keyDays} AS sums WHERE sums.key_id = known.key_id AND day = '${ALL_DAYS}'
     ), key_id LIMIT 1`,
  );
  return key;
}

interface TimesOfBucket {
  period: string;
  bucket: number;
  times: number;
}

function timesByBucket(
  session: Session,
  { names, isSpread }: Tables,
  chosen: ChosenRows,
  by: Bucket | undefined,
  key: SumsOfKey,
): Promise<TimesOfBucket[]> {
  const given = new Parameters();
  const bucket = by === undefined ? undefined : given.add(by);
  const periodOf = (day: string): string => (bucket === undefined ? "''" : `${names.period}(${bucket}, ${day})`);
  const parts = keyParts({ names, isSpread, places: [] }, chosen, given, key, {
    ofSums: [`${periodOf("day")} AS period`],
    ofRows: (condition) =>
      `SELECT ${periodOf(`${names.moment}(i.timestamp)`)}, ${bucketOf("i.response_time_ms::double precision", MEASURED)}, 1, 1, 0, 0
       FROM ${names.interactions} AS i WHERE ${condition} AND ${MEASURED}`,
  });
  return session.query<TimesOfBucket & QueryResultRow>(
    `SELECT period, bucket, sum(times)::double precision AS times FROM (
       ${parts}
     ) AS parts WHERE bucket IS NOT NULL GROUP BY 1, 2 HAVING sum(times) > 0`,
    given.values,
  );
}
