import type { BreakdownRow } from "@perdura/internals/metrics/breakdown/breakdown.js";
import type { AskedBreakdown } from "@perdura/internals/metrics/breakdown/breakdown_arguments.js";
import { EXACT_UP_TO, percentilesOfBuckets } from "@perdura/internals/metrics/breakdown/percentiles.js";
import type { Session } from "../connection/connection.ts";
import { isStorable } from "../connection/storable.ts";
import { declaredKeys, mayAskKeys } from "../layout/declare_keys.ts";
import { type KeySums, partsOfRows } from "../layout/key_sums.ts";
import type { Tables } from "../layout/set_up.ts";
import { breakdownRows, type FoundValue, readBreakdown } from "./breakdown_reader.ts";
import { areBehind, keyParts, type SumsOfKey } from "./key_parts.ts";
import { Parameters } from "./parameters.ts";

interface SummedKey extends SumsOfKey {
  numbers: string;
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
  const isBehind = await areBehind(session, names, key);
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
async function fromSums(session: Session, sums: KeySums, asked: AskedBreakdown, key: SummedKey): Promise<FoundValue[]> {
  const given = new Parameters();
  const figures = sums.places.map((place) => `, count${place}, total${place}`).join("");
  const parts = keyParts(sums, asked, given, key, {
    ofSums: ["name", "NULL::text AS long_name"],
    ofRows: (condition) => `SELECT name, long_name, bucket, times, operations, successes, ms${figures}
      FROM (${partsOfRows(sums, condition, `k.key_id = ${key.key_id}`)}) AS parts`,
  });
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
