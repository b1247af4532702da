import type { JsonValue } from "../../json/values.ts";
import type { RangeOptions } from "../time_range.ts";
import type { Percentiles } from "./percentiles.ts";

/** Settings of `getBreakdown`. */
export interface BreakdownOptions extends RangeOptions {
  /** Counts the interactions of this user only. */
  user_id?: string | undefined;
  /** Largest number of values with a row of their own, 1 to 10,000; 100 by default. */
  limit?: number | undefined;
  /** Keys of metadata whose numbers are summed for each value, such as tokens or costs. */
  numbers?: readonly string[] | undefined;
}

/** Figures of the interactions that have one value in their metadata, or of several values together. */
export interface BreakdownFigures extends Percentiles {
  /** Number of interactions; at least 1. */
  total_operations: number;
  /** Fraction of successful interactions, 0 to 1. */
  success_rate: number;
  /**
   * Mean response time in milliseconds over the interactions with a finite response time; 0 without such interactions.
   */
  avg_response_time_ms: number;
  /** For each key of `numbers`: the sum and the mean of the numbers, and how many there are. */
  numbers?: Record<string, NumberFigures>;
}

/** Figures of the numbers that interactions have under one key. */
export interface NumberFigures {
  /** Number of interactions with a number under the key. */
  count: number;
  sum: number;
  /** 0 without numbers. */
  mean: number;
}

/** Figures of one value of the key; null for the interactions without the key. */
export interface BreakdownOfValue extends BreakdownFigures {
  value: JsonValue;
  others?: never;
}

/** Figures of all values beyond the limit together. */
export interface BreakdownOfOthers extends BreakdownFigures {
  value?: never;
  /** Number of values beyond the limit. */
  others: number;
}

/** A row of `getBreakdown`. */
export type BreakdownRow = BreakdownOfValue | BreakdownOfOthers;
