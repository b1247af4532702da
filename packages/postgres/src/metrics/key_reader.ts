import type { BreakdownRow } from "@perdura/internals/metrics/breakdown/breakdown.js";
import type { AskedBreakdown } from "@perdura/internals/metrics/breakdown/breakdown_arguments.js";
import { EXACT_UP_TO, percentilesOfBuckets } from "@perdura/internals/metrics/breakdown/percentiles.js";
import { daysRead } from "@perdura/internals/metrics/days_read.js";
import type { Session } from "../connection/connection.ts";
import { isStorable } from "../connection/storable.ts";
import { declaredKeys, mayAskKeys } from "../layout/declare_keys.ts";
import { ALL_DAYS, type KeySums, partsOfRows, partsOfSums } from "../layout/key_sums.ts";
import type { Tables } from "../layout/set_up.ts";
import { startOf } from "../layout/trend_functions.ts";
import { breakdownRows, type FoundValue, readBreakdown } from "./breakdown_reader.ts";
import { Parameters } from "./parameters.ts";

/** Number of rows that a breakdown can count in addition to the sums without becoming much slower. */
const MOST_COUNTED = 2000;

/** The sums of a key. */
interface SummedKey {
  key_id: number;
  numbers: string;
  watermark: string;
  is_summed: boolean;
}

/** A breakdown, and true if sums would answer faster after a fold. */
interface Read {
  rows: BreakdownRow[];
  isBehind: boolean;
}

/**
 * Computes a breakdown by a key of the metadata, from sums if the key is declared and there are more rows than percentiles
 * are exact for. The session sees one moment.
 */
export async function readAnyBreakdown(
  session: Session,
  tables: Tables,
  asked: AskedBreakdown,
  exactUpTo: number = EXACT_UP_TO,
): Promise<Read> {
  const { names } = tables;
  const fromRows = async (isBehind: boolean): Promise<Read> => ({
    rows: await readBreakdown(session, tables, asked),
    isBehind,
  });
  const isNobody = asked.user !== undefined && !isStorable(asked.user);
  if (tables.isDistributed || isNobody || !(await mayAskKeys(session, names))) return fromRows(false);
  const declared = await declaredKeys(session, names);
  const has = (numbers: readonly string[]): boolean => asked.numbers.every((number) => numbers.includes(number));
  if (!declared.keys.includes(asked.key) || !has(declared.numbers)) return fromRows(false);
  const [key] = await session.query<SummedKey>(
    `SELECT key_id, array_to_json(numbers)::text AS numbers, watermark::text AS watermark, is_summed
     FROM ${names.summedKeys} WHERE key = $1::text`,
    [asked.key],
  );
  const numbers = JSON.parse(key?.numbers ?? "[]") as string[];
  if (key === undefined || !has(numbers)) return fromRows(true);
  if (!key.is_summed) return fromRows(false);
  const places = asked.numbers.map((number) => 1 + numbers.indexOf(number));
  const found = await fromSums(session, { names, isSpread: tables.isSpread, places }, asked, key);
  const [behind] = await session.query<{ isBehind: boolean }>(
    `SELECT (SELECT count(*) FROM (
         SELECT 1 FROM ${names.interactions} WHERE recorded_by >= $1::bigint LIMIT ${MOST_COUNTED + 1}) AS next) > ${MOST_COUNTED}
       OR EXISTS (SELECT 1 FROM ${names.staleUsers}) AS "isBehind"`,
    [key.watermark],
  );
  const isBehind = behind?.isBehind === true;
  const operations = found.reduce((sum, row) => sum + row.operations, 0);
  return operations > exactUpTo ? { rows: breakdownRows(found, asked), isBehind } : fromRows(isBehind);
}

interface FoundPart extends FoundValue {
  /** Null for all buckets together, and for rows without a response time. */
  bucket: number | null;
  isBucket: boolean;
  times: number;
}

/** The figures of each value from the sums, and the rows that they do not contain. */
async function fromSums(
  session: Session,
  sums: KeySums,
  asked: AskedBreakdown,
  { key_id: id, watermark }: SummedKey,
): Promise<FoundValue[]> {
  const given = new Parameters();
  const parts = partsOf(sums, asked, given, id, `${given.add(watermark)}::bigint`);
  const numbers = sums.places.map(
    (place, index) =>
      `, sum(total${place})::text AS sum${index}, sum(count${place})::double precision AS count${index}`,
  );
  const found = await session.query<FoundPart>(
    `WITH parts AS MATERIALIZED (
       ${parts}
     ), named AS MATERIALIZED (
       SELECT parts.name AS stored, coalesce(min(long_name),
           (SELECT full_name FROM ${sums.names.longNames} AS known WHERE known.name = parts.name), parts.name) AS name,
         sum(operations) AS total
       FROM parts GROUP BY parts.name HAVING sum(operations) <> 0
     ), most AS MATERIALIZED (
       SELECT stored, name FROM named ORDER BY total DESC, name COLLATE "C" LIMIT ${given.add(asked.limit)}
     )
     SELECT most.name, bucket, GROUPING(bucket) = 0 AS "isBucket", (SELECT count(*) FROM named)::integer AS names,
       sum(operations)::double precision AS operations, sum(successes)::double precision AS successes,
       (sum(ms) / nullif(sum(times), 0))::text AS mean, sum(times)::double precision AS times${numbers.join("")}
     FROM parts JOIN named ON named.stored = parts.name LEFT JOIN most ON most.stored = named.stored
     GROUP BY GROUPING SETS ((most.name), (most.name, bucket))
     ORDER BY 3, most.name IS NULL, sum(operations) DESC, most.name COLLATE "C"`,
    given.values,
  );
  const buckets = Map.groupBy(
    found.filter(({ bucket, times }) => bucket !== null && times > 0),
    ({ name }) => name,
  );
  return found
    .filter(({ isBucket }) => !isBucket)
    .map((value) => {
      const times = buckets.get(value.name)?.map((part) => [part.bucket as number, part.times] as const);
      return { ...value, ...percentilesOfBuckets(new Map(times)) };
    });
}

/** Columns of stored sums: the name in the sums, and the one that only rows tell. */
const NAME = ["name", "NULL::text AS long_name"];

/**
 * SQL for the parts of an answer: the stored sums of whole days without those of stale users, then the rows above the
 * watermark, those of stale users, and those of the days that a limit divides.
 */
function partsOf(sums: KeySums, asked: AskedBreakdown, given: Parameters, id: number, watermark: string): string {
  const { names, places } = sums;
  const { user, range } = asked;
  const chosen = given.conditions(names, asked);
  const stale = `(ARRAY(SELECT user_id FROM ${names.staleUsers}))`;
  // Without stale users no row is looked at, also if all rows have one user.
  const ofStale = `(SELECT EXISTS (SELECT 1 FROM ${names.staleUsers})) AND i.user_id = ANY ${stale}`;
  const ofUser = user === undefined ? "true" : `user_id = ${given.add(user)}`;
  const divided: string[] = [];
  let days = "true";
  if (range !== undefined) {
    const { since, until, from1, from2, to1 } = daysRead(range);
    divided.push(...(from1 <= to1 ? [from1] : []), ...(from2 === "~" ? [] : [from2]));
    const whole = [`${startOf("day")} >= ${given.add(since)}`, `${startOf("day")} < ${given.add(until)}`];
    days = [`day NOT IN ('', '${ALL_DAYS}')`, ...whole, ...divided.map((day) => `day <> ${given.add(day)}`)].join(
      " AND ",
    );
  }
  const bound = (which: string, day: string): string =>
    `(SELECT ${which} FROM ${user === undefined ? names.days : names.userDays} WHERE ${ofUser} AND day = ${given.add(day)})`;
  const rows = [
    `i.recorded_by >= ${watermark} AND i.user_id <> ALL ${stale}`,
    ofStale,
    ...divided.map(
      (day) => `i.recorded_by < ${watermark} AND i.user_id <> ALL ${stale}
        AND i.id BETWEEN ${bound("min(first_id)", day)} AND ${bound("max(last_id)", day)} AND ${names.day}(i.timestamp) = ${given.add(day)}`,
    ),
  ].map((condition) => `${condition} AND ${chosen}`);
  const { userKeyDays, keyDays } = names;
  const isKey = `key_id = ${id}`;
  const stored =
    user === undefined
      ? [
          partsOfSums(sums, [keyDays, `${isKey} AND ${range === undefined ? `day = '${ALL_DAYS}'` : days}`], NAME),
          partsOfSums(sums, [userKeyDays, `${isKey} AND user_id = ANY ${stale} AND ${days}`], NAME, "-"),
        ]
      : [partsOfSums(sums, [userKeyDays, `${isKey} AND ${ofUser} AND user_id <> ALL ${stale} AND ${days}`], NAME)];
  const figures = places.map((place) => `, count${place}, total${place}`).join("");
  return [
    ...stored,
    ...rows.map(
      (condition) => `SELECT name, long_name, bucket, times, operations, successes, ms${figures}
      FROM (${partsOfRows(sums, condition, `k.${isKey}`)}) AS parts`,
    ),
  ].join("\n     UNION ALL ");
}
