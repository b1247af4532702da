import { bucketOf } from "@perdura/internals/metrics/breakdown/percentiles.js";
import { MOST_VALUES } from "@perdura/internals/metrics/keys/declared_keys.js";
import { readableMetadata } from "./column_types.ts";
import type { Names } from "./names.ts";
import { MEASURED } from "./sums.ts";
import { isLong, nameOf, numberOf, storedName } from "./value_names.ts";

/** The key of a sum of one user, and that of a sum of all users. */
const OF_USER = ["key_id", "user_id", "day", "name"];
const OF_ALL = ["key_id", "day", "name"];

/** The day of the sums of all days in the sums of all users. */
export const ALL_DAYS = "all";

/** Longest id of a user in the sums, in bytes; their index refuses more than 2,700. A key with a longer one has no sums. */
const LONGEST_USER = 2000;

/** Tables, and the numbers of their keys. */
export interface KeySums {
  names: Names;
  /** True if metadata have a column for the user. */
  isSpread: boolean;
  /** Places in the declared numbers that are read, from 1. */
  places: readonly number[];
}

/** SQL for the interactions `i` with their metadata `m`. */
export function withMetadata({ interactions, interactionMetadata }: Names, isSpread: boolean): string {
  return `${interactions} AS i
         LEFT JOIN ${interactionMetadata} AS m ON m.interaction_id = i.id${isSpread ? " AND m.user_id = i.user_id" : ""}`;
}

/**
 * SQL for parts of sums: `long_name` is the name of a value that has a digest in `name`, otherwise null; `times` is the
 * number of response times in a bucket. Parts can be added; a part of stored sums has either figures or the times of a
 * bucket.
 *
 * @param rows SQL for the interactions `i`.
 * @param keys SQL that is true for the keys `k` of an `entry`, one of them.
 */
export function partsOfRows({ names, isSpread, places }: KeySums, rows: string, keys: string): string {
  const [values, numbers, sums] = [
    places.map((place) => `, entry.metadata -> k.numbers[${place}] AS value${place}`),
    places.map((place) => `, ${numberOf(`value${place}`)} AS number${place}`),
    places.map(
      (place) => `, count(number${place}) AS count${place}, coalesce(sum(number${place}), 0) AS total${place}`,
    ),
  ].map((columns) => columns.join(""));
  const bucket = bucketOf("i.response_time_ms::double precision", MEASURED);
  // OFFSET 0 computes each column once.
  return `SELECT key_id, user_id, day, ${storedName("value_name")} AS name, bucket,
        min(value_name) FILTER (WHERE ${isLong("value_name")}) AS long_name, count(bucket) AS times, count(*) AS operations,
        count(*) FILTER (WHERE success) AS successes, coalesce(sum(ms), 0) AS ms${sums}
      FROM (SELECT key_id, user_id, day, success, ms, bucket, ${nameOf("value")} AS value_name${numbers}
        FROM (SELECT k.key_id, entry.*, entry.metadata -> k.key AS value${values}
          FROM (SELECT i.user_id, i.recorded_by, coalesce(${names.day}(i.timestamp), '') AS day, i.success,
              CASE WHEN ${MEASURED} THEN response_time_ms::text::numeric END AS ms, ${bucket} AS bucket,
              ${readableMetadata("m")} AS metadata
            FROM ${withMetadata(names, isSpread)} WHERE ${rows} OFFSET 0) AS entry
          JOIN ${names.summedKeys} AS k ON ${keys} OFFSET 0) AS valued OFFSET 0) AS named
      GROUP BY 1, 2, 3, 4, 5`;
}

/** SQL for the parts of stored sums; of a user, or of all. The numbers are negative if they are subtracted. */
export function partsOfSums(
  { places }: KeySums,
  [table, where]: readonly [table: string, where: string],
  columns: readonly string[],
  sign: "" | "-" = "",
): string {
  const figures = places.map(
    (place) => `, ${sign}counts[${place}] AS count${place}, ${sign}totals[${place}] AS total${place}`,
  );
  const none = places.map(() => ", 0, 0");
  return `SELECT ${columns.join(", ")}, NULL::integer AS bucket, 0 AS times, ${sign}operations AS operations,
        ${sign}successes AS successes, ${sign}ms AS ms${figures.join("")}
      FROM ${table} WHERE ${where}
      UNION ALL SELECT ${columns.join(", ")}, found.key::integer, ${sign}found.value::bigint, 0, 0, 0${none.join("")}
      FROM ${table}, jsonb_each_text(buckets) AS found WHERE ${where}`;
}

/** SQL for parts together, one for each bucket. */
function together({ places }: KeySums, parts: string, columns: readonly string[]): string {
  const by = columns.join(", ");
  const added = places.map(
    (place) => `, sum(count${place})::bigint AS count${place}, sum(total${place}) AS total${place}`,
  );
  return `(SELECT ${by}, bucket, sum(times)::bigint AS times, sum(operations)::bigint AS operations,
          sum(successes)::bigint AS successes, sum(ms) AS ms${added.join("")} FROM ${parts} GROUP BY ${by}, bucket) AS parts`;
}

/** SQL for the sums of parts that are {@link together}, in the form in which they are stored. */
function sumsOf({ places }: KeySums, parts: string, columns: readonly string[]): string {
  const by = columns.join(", ");
  const array = (figure: string, type: string): string =>
    `ARRAY[${places.map((place) => `sum(${figure}${place})`).join(", ")}]::${type}[] AS ${figure}s`;
  return `SELECT ${by}, sum(operations)::bigint AS operations, sum(successes)::bigint AS successes, sum(ms) AS ms,
        coalesce(jsonb_object_agg(bucket, times) FILTER (WHERE times <> 0), '{}') AS buckets,
        ${array("count", "bigint")}, ${array("total", "numeric")}
      FROM ${parts} GROUP BY ${by}`;
}

/** SQL for the sums of all users, on each day and on all days. */
function sumsOfAll(sums: KeySums, parts: string): string {
  const figures = sums.places.map((place) => `, count${place}, total${place}`);
  const twice = `(SELECT key_id, period AS day, name, bucket, times, operations, successes, ms${figures.join("")}
        FROM ${together(sums, parts, OF_ALL)}, LATERAL (VALUES (day), ('${ALL_DAYS}')) AS periods (period)) AS twice`;
  return sumsOf(sums, together(sums, twice, OF_ALL), OF_ALL);
}

const SUMS = "operations, successes, ms, buckets, counts, totals";

/** SQL that sets the columns of a sum `known` to it and others. */
function adding({ places }: KeySums, other: string, sign: "+" | "-"): string {
  const sum = (column: string): string => `known.${column} ${sign} ${other}.${column}`;
  const array = (column: string, type: string): string =>
    `${column} = ARRAY[${places.map((place) => sum(`${column}[${place}]`)).join(", ")}]::${type}[]`;
  const buckets = `(SELECT coalesce(jsonb_object_agg(bucket, times), '{}') FROM (
          SELECT bucket, sum(times) AS times FROM (
            SELECT key AS bucket, value::bigint AS times FROM jsonb_each_text(known.buckets)
            UNION ALL SELECT key, ${sign}value::bigint FROM jsonb_each_text(${other}.buckets)
          ) AS both_sums GROUP BY bucket HAVING sum(times) <> 0) AS merged)`;
  return [
    ...["operations", "successes", "ms"].map((column) => `${column} = ${sum(column)}`),
    `buckets = ${buckets}`,
    array("counts", "bigint"),
    array("totals", "numeric"),
  ].join(", ");
}

/**
 * SQL that adds rows to the sums of keys in one statement. A key that has too many values with them gets none, and is
 * marked.
 *
 * @param rows SQL for the interactions `i`.
 * @param keys SQL that is true for the keys `k` of an `entry`, one of them, whose sums do not contain it.
 */
export function addToKeys(sums: KeySums, rows: string, keys: string): string {
  const { userKeyDays, keyDays, longNames, summedKeys } = sums.names;
  const kept = "key_id NOT IN (SELECT key_id FROM many)";
  return `WITH parts AS MATERIALIZED (
       ${partsOfRows(sums, rows, `k.is_summed AND ${keys}`)}
     ), found AS MATERIALIZED (
       SELECT DISTINCT key_id, name FROM parts
     ), many AS MATERIALIZED (
       SELECT key_id FROM (
         SELECT key_id, name FROM found
         UNION SELECT key_id, name FROM ${keyDays} WHERE key_id IN (SELECT key_id FROM found) AND day = '${ALL_DAYS}'
       ) AS every_name GROUP BY key_id HAVING count(*) > ${MOST_VALUES}
       UNION SELECT key_id FROM parts WHERE octet_length(user_id) > ${LONGEST_USER}
     ), named AS (
       INSERT INTO ${longNames} (name, full_name)
       SELECT DISTINCT name, long_name FROM parts WHERE long_name IS NOT NULL AND ${kept}
       ON CONFLICT DO NOTHING
     ), stored AS (
       INSERT INTO ${userKeyDays} AS known (${OF_USER.join(", ")}, ${SUMS})
       SELECT * FROM (${sumsOf(sums, "parts", OF_USER)}) AS sums WHERE ${kept}
       ON CONFLICT (${OF_USER.join(", ")}) DO UPDATE SET ${adding(sums, "excluded", "+")}
     ), stored_all AS (
       INSERT INTO ${keyDays} AS known (${OF_ALL.join(", ")}, ${SUMS})
       SELECT * FROM (${sumsOfAll(sums, "parts")}) AS sums WHERE ${kept}
       ON CONFLICT (${OF_ALL.join(", ")}) DO UPDATE SET ${adding(sums, "excluded", "+")}
     )
     UPDATE ${summedKeys} SET is_summed = false WHERE key_id IN (SELECT key_id FROM many)`;
}

/** Statements that remove the sums of keys. */
export function removeSums(names: Names, ids: string): string[] {
  const sums = [names.userKeyDays, names.keyDays].map((table) => `DELETE FROM ${table} WHERE key_id IN (${ids})`);
  return [...sums, removeLongNames(names)];
}

/** A statement that removes the long names without sums: they may be what a person wants erased. */
const removeLongNames = ({ longNames, keyDays, summedKeys }: Names): string =>
  `DELETE FROM ${longNames} AS known WHERE NOT EXISTS (SELECT 1 FROM ${summedKeys} AS k
       JOIN ${keyDays} AS sums ON sums.key_id = k.key_id AND sums.day = '${ALL_DAYS}' AND sums.name = known.name)`;

/** SQL for the keys that have too many values for sums. */
export const unsummedKeys = ({ summedKeys }: Names): string => `SELECT key_id FROM ${summedKeys} WHERE NOT is_summed`;

/** Statements that delete the sums of stale users, and compute them again from their rows below the watermarks. */
export function recountKeys(sums: KeySums): string[] {
  const { userKeyDays, keyDays, summedKeys, staleUsers } = sums.names;
  const stale = `SELECT key_id, user_id FROM ${summedKeys} CROSS JOIN ${staleUsers}`;
  const gone = `(${partsOfSums(sums, ["gone", "true"], OF_USER)}) AS parts`;
  return [
    `WITH gone AS (
       DELETE FROM ${userKeyDays} WHERE (key_id, user_id) IN (${stale}) RETURNING *
     )
     UPDATE ${keyDays} AS known SET ${adding(sums, "total", "-")}
     FROM (${sumsOfAll(sums, gone)}) AS total
     WHERE ${OF_ALL.map((column) => `known.${column} = total.${column}`).join(" AND ")}`,
    addToKeys(sums, `i.user_id IN (SELECT user_id FROM ${staleUsers})`, "entry.recorded_by < k.watermark"),
    ...removeSums(sums.names, unsummedKeys(sums.names)),
    `DELETE FROM ${keyDays} WHERE operations = 0`,
    removeLongNames(sums.names),
  ];
}

/** SQL for the sums of all users, from those of each user. */
const totals = (sums: KeySums): string =>
  sumsOfAll(sums, `(${partsOfSums(sums, [sums.names.userKeyDays, "true"], OF_USER)}) AS parts`);

/** Statements that compute the sums of all users again, from those of each user. */
export function replaceKeyDays(sums: KeySums): string[] {
  const { keyDays } = sums.names;
  return [`DELETE FROM ${keyDays}`, `INSERT INTO ${keyDays} (${OF_ALL.join(", ")}, ${SUMS}) ${totals(sums)}`];
}

const EQUAL = SUMS.split(", ")
  .map((column) => `known.${column} = counted.${column}`)
  .join(" AND ");

/** SQL for the users whose sums by key differ from their rows, except for users that are marked as stale. */
export function wrongKeyUsers(sums: KeySums): string {
  const { userKeyDays, staleUsers } = sums.names;
  const parts = `(${partsOfRows(sums, "true", "k.is_summed AND entry.recorded_by < k.watermark")}) AS parts`;
  return `SELECT user_id FROM ${userKeyDays} AS known
       FULL JOIN (${sumsOf(sums, parts, OF_USER)}) AS counted USING (${OF_USER.join(", ")})
     WHERE (${EQUAL}) IS NOT TRUE AND user_id NOT IN (SELECT user_id FROM ${staleUsers})`;
}

/** SQL for the sums of all users that differ from those of each user. */
export function wrongKeyDays(sums: KeySums): string {
  return `SELECT 1 FROM ${sums.names.keyDays} AS known
       FULL JOIN (${totals(sums)}) AS counted USING (${OF_ALL.join(", ")}) WHERE (${EQUAL}) IS NOT TRUE`;
}
