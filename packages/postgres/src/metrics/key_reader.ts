import type { BreakdownRow } from "@perdura/internals/metrics/breakdown/breakdown.js";
import type { AskedBreakdown } from "@perdura/internals/metrics/breakdown/breakdown_arguments.js";
import { EXACT_UP_TO, percentilesOfBuckets } from "@perdura/internals/metrics/breakdown/percentiles.js";
import type { Session } from "../connection/connection.ts";
import { isStorable } from "../connection/storable.ts";
import { type DeclaredKeys, NO_KEYS } from "@perdura/internals/metrics/keys/declared_keys.js";
import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import { declaredKeys, mayAskKeys } from "../layout/declare_keys.ts";
import { type KeySums, partsOfRows } from "../layout/key_sums.ts";
import type { Names } from "../layout/names.ts";
import type { Tables } from "../layout/set_up.ts";
import { breakdownRows, type FoundValue, readBreakdown } from "./breakdown_reader.ts";
import { areBehind, type KeyAnswer, keyParts, type SumsOfKey } from "./key_parts.ts";
import { askShards, keysOfShards } from "./key_shards.ts";
import { Parameters } from "./parameters.ts";

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
  const { names, isDistributed } = tables;
  const fromRows = async (isBehind: boolean): Promise<Read> => ({
    rows: await readBreakdown(session, tables, asked),
    isBehind,
  });
  if (asked.user !== undefined && !isStorable(asked.user)) return fromRows(false);
  const declared = await (isDistributed ? keysOfShards : keysOfServer)(session, names);
  if (!declared.keys.includes(asked.key) || !hasNumbers(declared, asked)) return fromRows(false);
  const { found, isBehind } = await (isDistributed ? fromShards : fromServer)(session, tables, asked, declared);
  if (found === undefined) return fromRows(isBehind);
  const values = withPercentiles(found);
  const operations = values.reduce((sum, row) => sum + row.operations, 0);
  return operations > exactUpTo ? { rows: breakdownRows(values, asked), isBehind } : fromRows(isBehind);
}

const hasNumbers = ({ numbers }: Pick<DeclaredKeys, "numbers">, asked: AskedBreakdown): boolean =>
  asked.numbers.every((number) => numbers.includes(number));

/** The declared keys; none if the sums by key may not answer. */
const keysOfServer = async (session: Session, names: Names): Promise<DeclaredKeys> =>
  (await mayAskKeys(session, names)) ? declaredKeys(session, names) : NO_KEYS;

async function fromServer(
  session: Session,
  { names, isSpread }: Tables,
  asked: AskedBreakdown,
): Promise<KeyAnswer<FoundPart>> {
  const [row] = await session.query<{ key_id: number; numbers: string; watermark: string; is_summed: boolean }>(
    `SELECT key_id, array_to_json(numbers)::text AS numbers, watermark::text AS watermark, is_summed
     FROM ${names.summedKeys} WHERE key = $1::text`,
    [asked.key],
  );
  const numbers = JSON.parse(row?.numbers ?? "[]") as string[];
  if (row === undefined || !hasNumbers({ numbers }, asked)) return { found: undefined, isBehind: true };
  if (!row.is_summed) return { found: undefined, isBehind: false };
  const given = new Parameters();
  const key = { id: String(row.key_id), watermark: `${given.add(row.watermark)}::bigint` };
  const sums = { names, isSpread, places: placesOf(numbers, asked) };
  const found = await session.query<FoundPart>(
    valuesOf(partsOfValues(sums, asked, given, key), sums, asked, given),
    given.values,
  );
  const [state] = await session.query<{ isBehind: boolean }>(
    `SELECT ${areBehind(names, { ...key, watermark: "$1::bigint" })} AS "isBehind"`,
    [row.watermark],
  );
  return { found, isBehind: state?.isBehind === true };
}

async function fromShards(
  session: Session,
  { names }: Tables,
  asked: AskedBreakdown,
  { numbers }: DeclaredKeys,
): Promise<KeyAnswer<FoundPart>> {
  const places = placesOf(numbers, asked);
  const sumsOf = (of: Names): KeySums => ({ names: of, isSpread: true, places });
  const figures = places.map((place) => `, count${place} bigint, total${place} numeric`).join("");
  return askShards<FoundPart>(session, names, {
    user: asked.user,
    which: `WHERE key = ${sqlText(asked.key)} AND numbers = ARRAY[${numbers.map(sqlText).join(", ")}]::text[]`,
    parts: (ofShard, key, given) => partsOfValues(sumsOf(ofShard), asked, given, key),
    columns: `name text, long_name text, bucket integer, times bigint, operations bigint, successes bigint, ms numeric${figures}`,
    answer: (parts, given) => valuesOf(`SELECT * FROM ${parts}`, sumsOf(names), asked, given),
  });
}

const placesOf = (numbers: readonly string[], asked: AskedBreakdown): number[] =>
  asked.numbers.map((number) => 1 + numbers.indexOf(number));

interface FoundPart extends FoundValue {
  /** Null for all buckets together, and for rows without a response time. */
  bucket: number | null;
  isBucket: boolean;
  times: number;
}

/** SQL for the parts of each value from the sums, and from the rows that they do not contain. */
function partsOfValues(sums: KeySums, asked: AskedBreakdown, given: Parameters, key: SumsOfKey): string {
  const figures = sums.places.map((place) => `, count${place}, total${place}`).join("");
  const added = sums.places.map(
    (place) => `, sum(count${place})::bigint AS count${place}, sum(total${place}) AS total${place}`,
  );
  const parts = keyParts(sums, asked, given, key, {
    ofSums: ["name", "NULL::text AS long_name"],
    ofRows: (condition) => `SELECT name, long_name, bucket, times, operations, successes, ms${figures}
      FROM (${partsOfRows(sums, condition, `k.key_id = ${key.id}`)}) AS parts`,
  });
  // Each stored sum has a part without a bucket.
  const longName = `CASE WHEN bucket IS NULL THEN
         (SELECT full_name FROM ${sums.names.longNames} AS known WHERE known.name = parts.name) END`;
  return `SELECT name, coalesce(min(long_name), ${longName}) AS long_name, bucket, sum(times)::bigint AS times,
         sum(operations)::bigint AS operations, sum(successes)::bigint AS successes, sum(ms) AS ms${added.join("")}
       FROM (
         ${parts}
       ) AS parts GROUP BY name, bucket`;
}

/** SQL for the figures of each value from parts. */
function valuesOf(parts: string, { places }: KeySums, { limit }: AskedBreakdown, given: Parameters): string {
  const numbers = places.map(
    (place, index) =>
      `, sum(total${place})::text AS sum${index}, sum(count${place})::double precision AS count${index}`,
  );
  return `WITH parts AS MATERIALIZED (
       ${parts}
     ), named AS MATERIALIZED (
       SELECT parts.name AS stored, coalesce(min(long_name), parts.name) AS name, sum(operations) AS total
       FROM parts GROUP BY parts.name HAVING sum(operations) <> 0
     ), most AS MATERIALIZED (
       SELECT stored, name FROM named ORDER BY total DESC, name COLLATE "C" LIMIT ${given.add(limit)}
     )
     SELECT most.name, bucket, GROUPING(bucket) = 0 AS "isBucket", (SELECT count(*) FROM named)::integer AS names,
       sum(operations)::double precision AS operations, sum(successes)::double precision AS successes,
       (sum(ms) / nullif(sum(times), 0))::text AS mean, sum(times)::double precision AS times${numbers.join("")}
     FROM parts JOIN named ON named.stored = parts.name LEFT JOIN most ON most.stored = named.stored
     GROUP BY GROUPING SETS ((most.name), (most.name, bucket))
     ORDER BY 3, most.name IS NULL, sum(operations) DESC, most.name COLLATE "C"`;
}

/** The values with their percentiles, which follow from the parts of their buckets. */
function withPercentiles(found: readonly FoundPart[]): FoundValue[] {
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
