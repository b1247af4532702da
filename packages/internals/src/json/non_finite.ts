import { ValidationError } from "../errors/errors.ts";
import { describe } from "../text/describe.ts";

/** Words for numbers that JSON does not have; Python's json module writes and reads them. */
export const NON_FINITE_TOKENS = ["NaN", "Infinity", "-Infinity"] as const;

/** What the tokens `NaN`, `Infinity` and `-Infinity` are read as: null, or text of the same letters. */
export type NonFinite = "null" | "text";

/** @throws ValidationError for what is none of the two, undefined excepted. */
export function assertNonFinite(argument: string, value: unknown): asserts value is NonFinite | undefined {
  if (value === undefined || value === "null" || value === "text") return;
  throw new ValidationError(`${argument}: expected "null" or "text", got ${describe(value)}.`);
}
