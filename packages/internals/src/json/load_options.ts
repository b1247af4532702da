import { ValidationError } from "../errors/errors.ts";
import { describe } from "../text/describe.ts";
import { assertOptions } from "../text/options.ts";

/** Replacement for `NaN`, `Infinity` and `-Infinity`: null, or a text with the same letters. */
export type NonFinite = "null" | "text";

/** Options for loading data that other programs wrote. */
export interface LoadOptions {
  /**
   * Reads the tokens `NaN`, `Infinity` and `-Infinity`, which Python's json module writes but which are not JSON:
   * `"null"` converts them to null, `"text"` to the strings `"NaN"`, `"Infinity"` and `"-Infinity"`. By default they
   * are an error.
   */
  nonFinite?: NonFinite | undefined;
}

/**
 * @param known Names of all options of the caller.
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
