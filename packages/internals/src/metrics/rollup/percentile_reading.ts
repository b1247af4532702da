import { addBuckets, addCount, type BucketCounts, percentilesOf, timesSql } from "../breakdown/percentile_queries.ts";
import { type Percentiles, percentilesOfBuckets } from "../breakdown/percentiles.ts";
import { type StoredSums, ValueSums } from "../keys/value_sums.ts";
import type { Database } from "../../sqlite/open_database.ts";
import { periodOfDay, periodSql } from "../trends/time_sql.ts";
import type { Bucket } from "../trends/trend.ts";
import type { KeyParts } from "./key_parts.ts";

/** The group of all interactions together. */
const ALL = "''";

/**
 * Percentiles from the buckets in the sums of all values of a key, and from rows that they do not contain.
 *
 * @param bucket Length of the periods; without it, all interactions are together.
 * @returns Undefined for hours, which only rows tell, and for at most `exactUpTo` response times.
 */
export function percentilesFromSums(
  database: Database,
  { sums, rows, parameters }: KeyParts,
  bucket: Bucket | undefined,
  exactUpTo: number,
): ReadonlyMap<string, Percentiles> | undefined {
  if (bucket === "hour") return undefined;
  const [ofDay, ofRow] = bucket === undefined ? [ALL, ALL] : [periodOfDay(bucket, "day"), periodSql(bucket)];
  const counts: BucketCounts = new Map();
  const stored = database.prepare(`SELECT ${ofDay}, sums FROM (${sums})`).raw();
  for (const [period, text] of stored.iterate(parameters) as Iterable<[string, string]>)
    for (const [time, count] of ValueSums.read(JSON.parse(text) as StoredSums).buckets)
      addCount(counts, period, time, count);
  for (const where of rows) addBuckets(database, counts, timesSql(ofRow, where), parameters);
  const times = [...counts.values()].flatMap((ofPeriod) => [...ofPeriod.values()]);
  const isMany = times.reduce((sum, count) => sum + count, 0) > exactUpTo;
  return isMany ? percentilesOf(counts, percentilesOfBuckets) : undefined;
}
