import type { Database } from "../../sqlite/open_database.ts";
import { MEASURED } from "../aggregates.ts";
import { chosenParameters, type ChosenRows, isChosen } from "../chosen_rows.ts";
import type { Range } from "../time_range.ts";
import { periodSql } from "../trends/time_sql.ts";
import type { Bucket } from "../trends/trend.ts";
import { BUCKET, EXACT_UP_TO, type Percentiles, percentilesOfBuckets, percentilesOfTimes } from "./percentiles.ts";

/** Percentiles of response times, from the rows. */
export interface PercentileQueries {
  percentiles(chosen: ChosenRows): Percentiles;
  /** By the start of a period; a period without response times is missing. */
  percentilesByPeriod(chosen: ChosenRows, bucket: Bucket): ReadonlyMap<string, Percentiles>;
  /** By user; one without response times is missing. Without a range, of all interactions. */
  percentilesByUser(range?: Range): ReadonlyMap<string, Percentiles>;
}

/** @param exactUpTo Number of interactions whose percentiles are exact. */
export function percentileQueries(database: Database, exactUpTo: number = EXACT_UP_TO): PercentileQueries {
  /** Percentiles by a group of rows, of which null is left out. */
  const grouped = (chosen: ChosenRows, group: string): Map<string, Percentiles> => {
    const parameters = chosenParameters(chosen);
    const rows = `SELECT ${group} AS "group", response_time_ms FROM interactions WHERE ${isChosen(chosen)} AND ${MEASURED}`;
    const isMany =
      database.prepare(`SELECT 1 FROM (${rows}) LIMIT 1 OFFSET ${exactUpTo}`).get(parameters) !== undefined;
    return isMany
      ? collected(database, bucketsOf(rows), parameters, percentilesOfBuckets)
      : collected(database, `SELECT "group", response_time_ms * 1.0, 1 FROM (${rows})`, parameters, (times) =>
          percentilesOfTimes([...times].flatMap(([time, count]) => Array.from({ length: count }, () => time))),
        );
  };
  return {
    percentiles: (chosen) => grouped(chosen, "''").get("") ?? percentilesOfTimes([]),
    percentilesByPeriod: (chosen, bucket) => grouped(chosen, periodSql(bucket)),
    percentilesByUser: (range) =>
      grouped(
        { user: undefined, range },
        "CASE WHEN typeof(user_id) NOT IN ('null', 'blob') THEN CAST(user_id AS TEXT) END",
      ),
  };
}

const bucketsOf = (rows: string): string =>
  `SELECT "group", bucket, count(*) FROM (SELECT "group", ${BUCKET} AS bucket FROM (${rows})) GROUP BY 1, 2`;

type Found = [group: string | null, value: number, count: number];

/** Counts of values by group, and what is computed from them. */
function collected(
  database: Database,
  sql: string,
  parameters: object,
  compute: (counts: ReadonlyMap<number, number>) => Percentiles,
): Map<string, Percentiles> {
  const counts = new Map<string, Map<number, number>>();
  for (const [group, value, count] of database.prepare(sql).raw().iterate(parameters) as Iterable<Found>) {
    if (group === null) continue;
    let known = counts.get(group);
    if (known === undefined) counts.set(group, (known = new Map()));
    known.set(value, (known.get(value) ?? 0) + count);
  }
  return new Map([...counts].map(([group, values]) => [group, compute(values)]));
}
