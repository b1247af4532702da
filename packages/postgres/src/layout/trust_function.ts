import {
  compose,
  DEFAULT_FIGURES,
  NO_CHANGE,
  stepOf,
  TRUST_UNITS,
  type TrustChange,
} from "@perdura/internals/metrics/trends/trust.js";
import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import { type Names } from "./names.ts";

/** Trust in the tables is an integer in hundredths: the default figures are multiples of it. */
export const TRUST_UNIT: number = TRUST_UNITS / 100;

const SUCCESS = compose(NO_CHANGE, stepOf(true, DEFAULT_FIGURES));
const FAILURE = compose(NO_CHANGE, stepOf(false, DEFAULT_FIGURES));

/** Number of outcomes that {@link trustFunction} looks up at once. */
const CHUNK = 8;

/** The effect of each sequence of {@link CHUNK} outcomes. A bit is 1 for a success; the first bit is the first outcome. */
const CHUNKS: TrustChange[] = Array.from({ length: 2 ** CHUNK }, (_, bits) =>
  Array.from({ length: CHUNK }, (__, index) => (bits >> (CHUNK - 1 - index)) & 1)
    .map((bit) => (bit === 1 ? SUCCESS : FAILURE))
    .reduce(compose, NO_CHANGE),
);

const PARTS = ["add", "low", "high"] as const;

/** SQL for the element of an array of constants. */
const lookUp = (changes: readonly TrustChange[], part: (typeof PARTS)[number], index: string): string =>
  `('{${changes.map((change) => Math.round(change[part] / TRUST_UNIT)).join(",")}}'::bigint[])[${index}]`;

/** SQL for the effect of one interaction: an array of the three numbers of {@link trustFunction}. */
export function trustOfOne(success: string): string {
  const array = (change: TrustChange): string =>
    `'{${PARTS.map((part) => Math.round(change[part] / TRUST_UNIT)).join(",")}}'::bigint[]`;
  return `CASE WHEN ${success} THEN ${array(SUCCESS)} ELSE ${array(FAILURE)} END`;
}

/**
 * A function for the effect of interactions on trust with the default figures, from their outcomes: a text of the
 * digits 1 (success) and 0 (failure). Trust x becomes least(high, greatest(low, x + add)); the result is the array of
 * add, low, high in hundredths. It looks several outcomes up at once, which is several times faster than one by one.
 */
export function trustFunction(names: Names): string {
  const apply = (changes: readonly TrustChange[], index: string): string => `
        step_add := ${lookUp(changes, "add", index)};
        step_low := ${lookUp(changes, "low", index)};
        step_high := ${lookUp(changes, "high", index)};
        added := added + step_add;
        low := least(step_high, greatest(step_low, low + step_add));
        high := least(step_high, greatest(step_low, high + step_add));`;
  return `CREATE OR REPLACE FUNCTION ${names.trust}(outcomes text) RETURNS bigint[]
    LANGUAGE plpgsql IMMUTABLE STRICT AS ${sqlText(`
    DECLARE
      bits varbit := outcomes::varbit;
      place integer := 1;
      added bigint := 0;
      low bigint := 0;
      high bigint := 100;
      step_add bigint;
      step_low bigint;
      step_high bigint;
      bits_here integer;
    BEGIN
      WHILE place + ${CHUNK - 1} <= length(bits) LOOP
        bits_here := substring(bits FROM place FOR ${CHUNK})::bit(${CHUNK})::integer;${apply(CHUNKS, "bits_here + 1")}
        place := place + ${CHUNK};
      END LOOP;
      WHILE place <= length(bits) LOOP
        bits_here := get_bit(bits, place - 1);${apply([FAILURE, SUCCESS], "bits_here + 1")}
        place := place + 1;
      END LOOP;
      RETURN ARRAY[added, low, high];
    END`)}`;
}
