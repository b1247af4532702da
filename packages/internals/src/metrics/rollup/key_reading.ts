import type { BreakdownRow } from "../breakdown/breakdown.ts";
import type { AskedBreakdown } from "../breakdown/breakdown_arguments.ts";
import { bucketedParts, parametersOf } from "../breakdown/breakdown_queries.ts";
import { FoundValues } from "../breakdown/found_values.ts";
import type { FoundPart } from "../breakdown/value_figures.ts";
import { chosenParameters, isChosen } from "../chosen_rows.ts";
import { daysRead } from "../days_read.ts";
import type { Database, Statement } from "../../sqlite/open_database.ts";
import { IS_COUNTED_DAY, IS_WHOLE_DAY, OF_USER, rowsOfDays } from "./parts_sql.ts";
import { declaredKeys } from "../keys/declared_keys.ts";
import { sumsOfUser } from "../keys/key_objects.ts";
import { type StoredSums, ValueSums } from "../keys/value_sums.ts";

/** Breakdowns from the sums by values. The caller holds a transaction. */
export interface KeyReading {
  /** True if the key and the numbers are declared, and the key has not too many values. */
  covers(asked: AskedBreakdown): boolean;
  /** Distance of the highest id from the rows in the sums of the key; null without sums. */
  behind(asked: AskedBreakdown): number | null;
  /** Undefined if only the rows can answer. No user who is counted is stale. */
  breakdown(asked: AskedBreakdown): BreakdownRow[] | undefined;
}

interface KeyFound {
  key_id: number;
  numbers: string;
}

/** @param exactUpTo Number of interactions whose percentiles are exact, from the rows. */
export function prepareKeyReading(database: Database, exactUpTo: number): KeyReading {
  const unsummed = database
    .prepare("SELECT 1 FROM perdura_summed_keys WHERE key = ? AND NOT is_summed")
    .pluck() as Statement<[string], 1>;
  const find = database.prepare(
    "SELECT key_id, numbers FROM perdura_summed_keys WHERE key = ? AND is_summed",
  ) as Statement<[string], KeyFound>;
  const behind = database
    .prepare(
      "SELECT (SELECT max(id) FROM interactions) - watermark FROM perdura_summed_keys WHERE key = ? AND is_summed",
    )
    .pluck() as Statement<[string], number | null>;
  const has = (asked: AskedBreakdown, numbers: readonly string[]): boolean =>
    asked.numbers.every((number) => numbers.includes(number));
  return {
    covers: (asked) => {
      const declared = declaredKeys(database);
      return declared.keys.includes(asked.key) && has(asked, declared.numbers) && unsummed.get(asked.key) === undefined;
    },
    behind: ({ key }) => behind.get(key) ?? null,
    breakdown: (asked) => {
      const key = find.get(asked.key);
      if (key === undefined) return undefined;
      const numbers = JSON.parse(key.numbers) as string[];
      return has(asked, numbers) ? fromSums(database, asked, key.key_id, numbers, exactUpTo) : undefined;
    },
  };
}

function fromSums(
  database: Database,
  asked: AskedBreakdown,
  key: number,
  numbers: readonly string[],
  exactUpTo: number,
): BreakdownRow[] | undefined {
  const found = new FoundValues(asked.numbers);
  let operations = 0;
  for (const [name, stored] of storedSums(database, asked, key)) {
    const sums = ValueSums.read(JSON.parse(stored) as StoredSums);
    const [times, ...others] = sums.totals();
    const totals = [times, ...asked.numbers.map((number) => others[numbers.indexOf(number)])];
    // As in all statistics, only the rows tell a mean with negative times, and a sum beyond the range of a double.
    if (sums.hasNegativeTimes || !totals.every((total) => total !== undefined && Number.isFinite(total.sum)))
      return undefined;
    operations += sums.operations;
    found.of(name).addSums({
      operations: sums.operations,
      successes: sums.successes,
      buckets: sums.buckets,
      totals: totals as { count: number; sum: number }[],
    });
  }
  const watermark = `(SELECT watermark FROM perdura_summed_keys WHERE key_id = ${key})`;
  const user = asked.user === undefined ? "" : OF_USER;
  const days = { table: asked.user === undefined ? "perdura_days" : "perdura_user_days", user, watermark } as const;
  const ofDay = (which: 1 | 2): string => `${user} ${rowsOfDays(days, which)}`;
  const conditions = [
    `id > ${watermark} AND ${isChosen(asked)}`,
    ...(asked.range === undefined ? [] : [ofDay(1), ofDay(2)]),
  ];
  const parameters = { ...parametersOf(asked), ...(asked.range === undefined ? {} : daysRead(asked.range)) };
  for (const where of conditions) {
    for (const part of database.prepare(bucketedParts(asked, where)).iterate(parameters) as Iterable<
      FoundPart & { name: string }
    >) {
      operations += 1;
      found.of(part.name).add(part);
    }
  }
  return operations > exactUpTo ? found.rows(asked.limit) : undefined;
}

/** The stored sums of whole days, each with the name of its value. */
function storedSums(database: Database, asked: AskedBreakdown, key: number): [name: string, sums: string][] {
  const { user, range } = asked;
  const days = range === undefined ? "" : `AND day <> '' AND ${IS_COUNTED_DAY} AND ${IS_WHOLE_DAY}`;
  const sums =
    user === undefined
      ? `SELECT value_id, sums FROM perdura_value_days WHERE key_id = ${key} ${days}`
      : `SELECT value ->> '$[0]' AS value_id, json_remove(value, '$[0]') AS sums
         FROM (${sumsOfUser(key, "(SELECT @user)")}), json_each(sums) WHERE true ${days}`;
  return database
    .prepare(`SELECT name, sums FROM (${sums}) JOIN perdura_key_values USING (value_id)`)
    .raw()
    .all({ ...chosenParameters(asked), ...(range === undefined ? {} : daysRead(range)) }) as [string, string][];
}
