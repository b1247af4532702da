import { ValidationError } from "../errors/errors.ts";
import { describe } from "../text/describe.ts";
import { assertOptions } from "../text/options.ts";

/** Stands for `NaN`, `Infinity` and `-Infinity` after loading: null, or text of the same letters. */
export type NonFinite = "null" | "text";

/** Options for loading data that other programs wrote. */
export interface LoadOptions {
  /**
   * Reads the tokens `NaN`, `Infinity` and `-Infinity`, which Python's json module writes and which are not JSON: `"null"`
   * gives null, `"text"` the strings `"NaN"`, `"Infinity"` and `"-Infinity"`. By default they are refused.
   */
  nonFinite?: NonFinite | undefined;
}

/**
 * @param known The options that the caller has.
 * @throws ValidationError for an unknown option, and for an unknown value of `nonFinite`.
 */
export function assertLoadOptions(options: LoadOptions | undefined, known: readonly string[] = ["nonFinite"]): void {
  assertOptions("options", options, known);
  const nonFinite: unknown = options?.nonFinite;
  if (nonFinite === undefined || nonFinite === "null" || nonFinite === "text") return;
  throw new ValidationError(`expected "null" or "text", got ${describe(nonFinite)}.`, {
    argument: "options.nonFinite",
  });
}
