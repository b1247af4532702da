import { ValidationError } from "../../errors/errors.ts";
import { describe } from "../../text/describe.ts";
import { assertText, identifierFault } from "../../text/identifiers.ts";
import { assertOptions } from "../../text/options.ts";
import type { ChosenRows } from "../chosen_rows.ts";
import { limitsAmong } from "../time_range.ts";
import type { BreakdownOptions } from "./breakdown.ts";

/** Checked arguments of a breakdown. */
export interface AskedBreakdown extends ChosenRows {
  key: string;
  limit: number;
  numbers: readonly string[];
}

const DEFAULT_LIMIT = 100;

/** Largest number of values that have rows of their own. */
export const HIGHEST_LIMIT = 10_000;

/** Each of them is looked up in the metadata of each interaction. */
const MOST_NUMBERS = 20;

/** @throws ValidationError that names the argument or the option. */
export function askedBreakdown(key: string, options: BreakdownOptions = {}): AskedBreakdown {
  assertKey("key", key);
  assertOptions("options", options, ["user_id", "since", "until", "limit", "numbers"]);
  const { user_id, since, until, limit = DEFAULT_LIMIT, numbers = [] } = options;
  if (user_id !== undefined) assertText("user_id", user_id);
  if (!Number.isInteger(limit) || limit < 1 || limit > HIGHEST_LIMIT) {
    throw new ValidationError(`expected an integer from 1 to ${HIGHEST_LIMIT}, got ${describe(limit)}.`, {
      argument: "limit",
    });
  }
  return { key, user: user_id, range: limitsAmong({ since, until }), limit, numbers: checkedNumbers(numbers) };
}

function checkedNumbers(numbers: unknown): readonly string[] {
  if (!Array.isArray(numbers) || numbers.length > MOST_NUMBERS) {
    throw new ValidationError(`expected an array of at most ${MOST_NUMBERS} keys, got ${describe(numbers)}.`, {
      argument: "numbers",
    });
  }
  for (const key of numbers) assertKey("numbers", key);
  return [...new Set(numbers as string[])];
}

function assertKey(argument: string, key: unknown): asserts key is string {
  const fault = identifierFault(key);
  if (fault !== undefined) throw new ValidationError(`${fault}.`, { argument });
}
