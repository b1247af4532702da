import type { Database } from "../../sqlite/open_database.ts";
import { DEFAULT_FIGURES, NO_CHANGE, TRUST_UNITS, type TrustChange } from "../trends/trust.ts";

/** The columns of `perdura_user_days` that describe the effect on trust, in hundredths, with the default figures. */
export const TRUST_COLUMNS = ["trust_add", "trust_low", "trust_high"] as const;

const HUNDREDTH: number = TRUST_UNITS / 100;

const GAIN = DEFAULT_FIGURES.gain * TRUST_UNITS;
const LOSS = DEFAULT_FIGURES.loss * TRUST_UNITS;
/** Code of the digit 1. */
const ONE = 0x31;

/** SQL for the outcomes of rows in the order of their ids: a text of the digits 1 (success) and 0 (failure). */
export const OUTCOMES = "group_concat(CASE WHEN success THEN '1' ELSE '0' END, '' ORDER BY id) AS outcomes";

/** Effect of {@link OUTCOMES} on trust: the composition of all steps, without an object for each of them. */
export function changeOfOutcomes(outcomes: string): TrustChange {
  let { add, low, high } = NO_CHANGE;
  for (let at = 0; at < outcomes.length; at += 1) {
    const step = outcomes.charCodeAt(at) === ONE ? GAIN : -LOSS;
    add = Math.min(TRUST_UNITS, Math.max(-TRUST_UNITS, add + step));
    low = Math.min(TRUST_UNITS, Math.max(0, low + step));
    high = Math.min(TRUST_UNITS, Math.max(0, high + step));
  }
  return { add, low, high };
}

/** Effect on trust from the three stored columns. */
export function changeOfColumns({
  trust_add,
  trust_low,
  trust_high,
}: Record<(typeof TRUST_COLUMNS)[number], number>): TrustChange {
  // An addition beyond the whole range has the effect of the whole range.
  const add = Math.min(TRUST_UNITS, Math.max(-TRUST_UNITS, trust_add * HUNDREDTH));
  return { add, low: trust_low * HUNDREDTH, high: trust_high * HUNDREDTH };
}

const extended = new WeakSet<Database>();

/** Adds to a connection the SQL functions that compute the three columns from {@link OUTCOMES}. */
export function addTrustFunctions(database: Database): void {
  if (extended.has(database)) return;
  extended.add(database);
  for (const name of ["add", "low", "high"] as const) {
    database.function(`perdura_trust_${name}`, { deterministic: true }, (outcomes: unknown) =>
      Math.round(changeOfOutcomes(String(outcomes))[name] / HUNDREDTH),
    );
  }
}

/** SQL for the three columns, computed from outcomes. */
export const TRUST_OF_OUTCOMES: string = TRUST_COLUMNS.map((name) => `perdura_${name}(outcomes)`).join(", ");

/** SQL that adds the effect of later rows to that of a stored row. */
export const ADD_TRUST = `trust_add = trust_add + excluded.trust_add,
  trust_low = min(excluded.trust_high, max(excluded.trust_low, trust_low + excluded.trust_add)),
  trust_high = min(excluded.trust_high, max(excluded.trust_low, trust_high + excluded.trust_add))`;
