import type { Database } from "../../sqlite/open_database.ts";
import { MEASURED } from "../aggregates.ts";
import { chosenParameters, type ChosenRows, isChosen } from "../chosen_rows.ts";
import type { Range } from "../time_range.ts";
import { periodSql } from "../trends/time_sql.ts";
import type { Bucket } from "../trends/trend.ts";
import {
  BUCKET,
  EXACT_UP_TO,
  NO_PERCENTILES,
  type Percentiles,
  percentilesOfBuckets,
  percentilesOfTimes,
} from "./percentiles.ts";

/** Percentiles of response times. */
export interface PercentileQueries {
  percentiles(chosen: ChosenRows): Percentiles;
  /** By the start of a period; a period without response times is missing. */
  percentilesByPeriod(chosen: ChosenRows, bucket: Bucket): ReadonlyMap<string, Percentiles>;
  /** By user; one without response times is missing. Without a range, of all interactions. */
  percentilesByUser(range?: Range): ReadonlyMap<string, Percentiles>;
  /** True if sums tell the percentiles of very many interactions. */
  hasPercentileSums(): boolean;
}

/** Counts of response times by bucket, for each group of interactions; null stands for no group. */
export type BucketCounts = Map<string | null, Map<number, number>>;

/**
 * Computes percentiles from the rows.
 *
 * @param exactUpTo Number of interactions whose percentiles are exact.
 */
export function percentileQueries(database: Database, exactUpTo: number = EXACT_UP_TO): PercentileQueries {
  /** Percentiles by a group of rows, of which null is left out. */
  const grouped = (chosen: ChosenRows, group: string): Map<string, Percentiles> => {
    const parameters = chosenParameters(chosen);
    const rows = timesSql(group, isChosen(chosen));
    const times = timesByGroup(database, rows, parameters, exactUpTo);
    if (times !== undefined) return percentilesOf(times, percentilesOfTimes);
    const counts: BucketCounts = new Map();
    addBuckets(database, counts, rows, parameters);
    return percentilesOf(counts, percentilesOfBuckets);
  };
  return {
    percentiles: (chosen) => grouped(chosen, "''").get("") ?? NO_PERCENTILES,
    percentilesByPeriod: (chosen, bucket) => grouped(chosen, periodSql(bucket)),
    percentilesByUser: (range) =>
      grouped(
        { user: undefined, range },
        "CASE WHEN typeof(user_id) NOT IN ('null', 'blob') THEN CAST(user_id AS TEXT) END",
      ),
    hasPercentileSums: () => false,
  };
}

/** The response times of {@link timesSql}; undefined if there are more than so many. */
function timesByGroup(
  database: Database,
  sql: string,
  parameters: object,
  most: number,
): Map<string | null, number[]> | undefined {
  const times = new Map<string | null, number[]>();
  let left = most;
  const found = database.prepare(`SELECT "group", response_time_ms * 1.0 FROM (${sql})`).raw();
  for (const [group, time] of found.iterate(parameters) as Iterable<[group: string | null, time: number]>) {
    if ((left -= 1) < 0) return undefined;
    const known = times.get(group);
    if (known === undefined) times.set(group, [time]);
    else known.push(time);
  }
  return times;
}

/** SQL for the response times of interactions, each with its group. */
export const timesSql = (group: string, where: string): string =>
  `SELECT ${group} AS "group", response_time_ms FROM interactions WHERE ${where} AND ${MEASURED}`;

/** Adds the response times of {@link timesSql}. */
export function addBuckets(database: Database, counts: BucketCounts, times: string, parameters: object): void {
  const buckets = `SELECT "group", ${BUCKET} AS bucket FROM (${times})`;
  const counted = database.prepare(`SELECT "group", bucket, count(*) FROM (${buckets}) GROUP BY 1, 2`).raw();
  for (const [group, bucket, count] of counted.iterate(parameters) as Iterable<Found>)
    addCount(counts, group, bucket, count);
}

type Found = [group: string | null, bucket: number, count: number];

export function addCount(counts: BucketCounts, group: string | null, value: number, count: number): void {
  let known = counts.get(group);
  if (known === undefined) counts.set(group, (known = new Map()));
  known.set(value, (known.get(value) ?? 0) + count);
}

/** @param compute Percentiles of the values of a group. */
export function percentilesOf<Values>(
  counts: ReadonlyMap<string | null, Values>,
  compute: (values: Values) => Percentiles,
): Map<string, Percentiles> {
  const groups = [...counts].filter((entry): entry is [string, Values] => entry[0] !== null);
  return new Map(groups.map(([group, values]) => [group, compute(values)]));
}
