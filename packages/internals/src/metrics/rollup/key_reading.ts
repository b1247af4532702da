import type { BreakdownRow } from "../breakdown/breakdown.ts";
import type { AskedBreakdown } from "../breakdown/breakdown_arguments.ts";
import { bucketedParts, parametersOf } from "../breakdown/breakdown_queries.ts";
import { FoundValues } from "../breakdown/found_values.ts";
import type { FoundPart } from "../breakdown/value_figures.ts";
import type { Database, Statement } from "../../sqlite/open_database.ts";
import type { ChosenRows } from "../chosen_rows.ts";
import type { Percentiles } from "../breakdown/percentiles.ts";
import type { Bucket } from "../trends/trend.ts";
import { keyParts } from "./key_parts.ts";
import { percentilesFromSums } from "./percentile_reading.ts";
import { declaredKeys } from "../keys/declared_keys.ts";
import { type StoredSums, ValueSums } from "../keys/value_sums.ts";

/** Breakdowns from the sums by values. The caller holds a transaction. */
export interface KeyReading {
  /** True if the key and the numbers are declared, and the key has not too many values. */
  covers(asked: AskedBreakdown): boolean;
  /** Distance of the highest id from the rows in the sums of the key; null without sums. */
  behind(asked: AskedBreakdown): number | null;
  /** Undefined if only the rows can answer. No user who is counted is stale. */
  breakdown(asked: AskedBreakdown): BreakdownRow[] | undefined;
  /** Any key that has sums: all together tell the percentiles of all interactions. The one with the fewest values. */
  any(): { key_id: number; behind: number | null } | undefined;
  /**
   * Percentiles from the sums of a key, by period, or of all interactions together under an empty text; undefined if only
   * the rows can answer.
   */
  percentiles(key: number, chosen: ChosenRows, bucket?: Bucket): ReadonlyMap<string, Percentiles> | undefined;
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
  const any = database.prepare(
    `SELECT key_id, (SELECT max(id) FROM interactions) - watermark AS behind FROM perdura_summed_keys AS known WHERE is_summed
     ORDER BY (SELECT count(*) FROM perdura_key_values AS value WHERE value.key_id = known.key_id), key_id LIMIT 1`,
  ) as Statement<[], { key_id: number; behind: number | null }>;
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
    any: () => any.get(),
    percentiles: (key, chosen, bucket) => percentilesFromSums(database, keyParts(chosen, key), bucket, exactUpTo),
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
  const { sums: stored, rows, parameters } = keyParts(asked, key);
  const named = database.prepare(`SELECT name, sums FROM (${stored}) JOIN perdura_key_values USING (value_id)`).raw();
  for (const [name, text] of named.all(parameters) as [string, string][]) {
    const sums = ValueSums.read(JSON.parse(text) as StoredSums);
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
  for (const where of rows) {
    for (const part of database
      .prepare(bucketedParts(asked, where))
      .iterate({ ...parametersOf(asked), ...parameters }) as Iterable<FoundPart & { name: string }>) {
      operations += 1;
      found.of(part.name).add(part);
    }
  }
  return operations > exactUpTo ? found.rows(asked.limit) : undefined;
}
