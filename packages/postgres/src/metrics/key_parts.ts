import type { ChosenRows } from "@perdura/internals/metrics/chosen_rows.js";
import { daysRead } from "@perdura/internals/metrics/days_read.js";
import { ALL_DAYS, type KeySums, partsOfSums } from "../layout/key_sums.ts";
import type { Names } from "../layout/names.ts";
import { startOf } from "../layout/trend_functions.ts";
import type { Parameters } from "./parameters.ts";

/** SQL for the sums of a key. */
export interface SumsOfKey {
  id: string;
  /** The transaction number from which rows are not in the sums. */
  watermark: string;
}

/** An answer of sums by key. */
export interface KeyAnswer<Row> {
  /** Undefined if there are no sums of the key, on a cluster in any of the shards. */
  found: Row[] | undefined;
  /** True if sums would answer faster after a fold. */
  isBehind: boolean;
}

/** SQL for the columns of parts. */
export interface PartColumns {
  /** Of stored sums, before their figures. */
  ofSums: readonly string[];
  /** A query for the same columns of the interactions `i` of a condition. */
  ofRows: (condition: string) => string;
}

/** Number of rows that a question can read in addition to the sums without becoming much slower. */
const MOST_READ = 2000;

/** SQL that is true if sums would answer faster after a fold. */
export function areBehind(names: Names, { watermark }: SumsOfKey): string {
  return `(SELECT count(*) FROM (
         SELECT 1 FROM ${names.interactions} WHERE recorded_by >= ${watermark} LIMIT ${MOST_READ + 1}) AS next) > ${MOST_READ}
       OR EXISTS (SELECT 1 FROM ${names.staleUsers})`;
}

/**
 * SQL for the parts of an answer: the stored sums of whole days without those of stale users, then the rows above the
 * watermark, those of stale users, and those of the days that a limit divides.
 */
export function keyParts(
  sums: KeySums,
  chosen: ChosenRows,
  given: Parameters,
  { id, watermark }: SumsOfKey,
  { ofSums, ofRows }: PartColumns,
): string {
  const { names } = sums;
  const { user, range } = chosen;
  const isChosen = given.conditions(names, chosen);
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
  ].map((condition) => `${condition} AND ${isChosen}`);
  const { userKeyDays, keyDays } = names;
  const isKey = `key_id = ${id}`;
  const stored =
    user === undefined
      ? [
          partsOfSums(sums, [keyDays, `${isKey} AND ${range === undefined ? `day = '${ALL_DAYS}'` : days}`], ofSums),
          partsOfSums(sums, [userKeyDays, `${isKey} AND user_id = ANY ${stale} AND ${days}`], ofSums, "-"),
        ]
      : [partsOfSums(sums, [userKeyDays, `${isKey} AND ${ofUser} AND user_id <> ALL ${stale} AND ${days}`], ofSums)];
  return [...stored, ...rows.map(ofRows)].join("\n     UNION ALL ");
}
