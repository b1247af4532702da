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
import { ALL_DAYS, type KeySums } from "../layout/key_sums.ts";
import { type Names, namesOfShard } from "../layout/names.ts";
import type { Tables } from "../layout/set_up.ts";
import { MEASURED } from "../layout/sums.ts";
import { areBehind, type KeyAnswer, keyParts, type SumsOfKey } from "./key_parts.ts";
import { askShards, keysOfShards } from "./key_shards.ts";
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
  const isNobody = chosen.user !== undefined && !isStorable(chosen.user);
  const { found, isBehind } =
    by === "hour" || isNobody
      ? NOTHING
      : await (tables.isDistributed ? fromShards : fromServer)(session, tables, chosen, by);
  if (found === undefined || found.reduce((sum, { times }) => sum + times, 0) <= exactUpTo)
    return { percentiles: await readPercentiles(session, tables.names, chosen, by), isBehind };
  const periods = Map.groupBy(found, ({ period }) => period);
  const percentiles = new Map(
    [...periods].map(([period, times]) => [
      period,
      percentilesOfBuckets(new Map(times.map(({ bucket, times: count }) => [bucket, count]))),
    ]),
  );
  return { percentiles, isBehind };
}

/** True if sums tell the percentiles of very many interactions. */
export async function hasPercentileSums(session: Session, tables: Tables): Promise<boolean> {
  const { names } = tables;
  if (!tables.isDistributed) return (await keyWithSums(session, names)) !== undefined;
  if ((await keysOfShards(session, names)).keys.length === 0) return false;
  const none = "SELECT NULL WHERE false";
  const { found } = await askShards(session, names, {
    user: undefined,
    which: fewestValues(namesOfShard(names.schemaName)),
    parts: () => none,
    columns: "nothing text",
    answer: () => none,
  });
  return found !== undefined;
}

/** SQL that chooses the key with the fewest values, one that has sums if there is any. */
const fewestValues = ({ keyDays }: Names): string => `ORDER BY is_summed DESC, (
       SELECT count(*) FROM ${keyDays} AS sums WHERE sums.key_id = known.key_id AND day = '${ALL_DAYS}'
     ), key_id`;

/** The key with the fewest values among those that have sums; undefined without one, or if this role may not read them. */
async function keyWithSums(session: Session, names: Names): Promise<SumsOfKey | undefined> {
  if (!(await mayAskKeys(session, names))) return undefined;
  const [key] = await session.query<SumsOfKey & QueryResultRow>(
    `SELECT key_id::text AS id, watermark || '::bigint' AS watermark FROM ${names.summedKeys} AS known WHERE is_summed ${fewestValues(names)} LIMIT 1`,
  );
  return key;
}

interface TimesOfBucket {
  period: string;
  bucket: number;
  times: number;
}

const NOTHING: KeyAnswer<TimesOfBucket> = { found: undefined, isBehind: false };

async function fromServer(
  session: Session,
  { names, isSpread }: Tables,
  chosen: ChosenRows,
  by: Bucket | undefined,
): Promise<KeyAnswer<TimesOfBucket>> {
  const key = await keyWithSums(session, names);
  if (key === undefined) return NOTHING;
  const [state] = await session.query<{ isBehind: boolean }>(`SELECT ${areBehind(names, key)} AS "isBehind"`);
  const given = new Parameters();
  const parts = partsOfTimes({ names, isSpread, places: [] }, chosen, given, key, by);
  const found = await session.query<TimesOfBucket & QueryResultRow>(timesOf(parts), given.values);
  return { found, isBehind: state?.isBehind === true };
}

async function fromShards(
  session: Session,
  { names }: Tables,
  chosen: ChosenRows,
  by: Bucket | undefined,
): Promise<KeyAnswer<TimesOfBucket>> {
  if ((await keysOfShards(session, names)).keys.length === 0) return NOTHING;
  return askShards<TimesOfBucket>(session, names, {
    user: chosen.user,
    // The shards may choose different keys, because the values of each key are all interactions.
    which: fewestValues(namesOfShard(names.schemaName)),
    parts: (ofShard, key, given) =>
      timesOf(partsOfTimes({ names: ofShard, isSpread: true, places: [] }, chosen, given, key, by)),
    columns: "period text, bucket integer, times double precision",
    answer: (parts) => timesOf(`SELECT * FROM ${parts}`),
  });
}

/** SQL for parts of the numbers of response times by period and bucket. */
function partsOfTimes(
  sums: KeySums,
  chosen: ChosenRows,
  given: Parameters,
  key: SumsOfKey,
  by: Bucket | undefined,
): string {
  const { names } = sums;
  const bucket = by === undefined ? undefined : given.add(by);
  const periodOf = (day: string): string => (bucket === undefined ? "''" : `${names.period}(${bucket}, ${day})`);
  return keyParts(sums, chosen, given, key, {
    ofSums: [`${periodOf("day")} AS period`],
    ofRows: (condition) =>
      `SELECT ${periodOf(`${names.moment}(i.timestamp)`)}, ${bucketOf("i.response_time_ms::double precision", MEASURED)}, 1, 1, 0, 0
       FROM ${names.interactions} AS i WHERE ${condition} AND ${MEASURED}`,
  });
}

/** SQL that adds parts. */
const timesOf = (parts: string): string =>
  `SELECT period, bucket, sum(times)::double precision AS times FROM (
       ${parts}
     ) AS parts WHERE bucket IS NOT NULL GROUP BY 1, 2 HAVING sum(times) > 0`;
