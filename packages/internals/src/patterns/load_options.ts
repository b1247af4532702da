import { assertNonFinite, type NonFinite } from "../json/non_finite.ts";
import { assertOptions } from "../text/options.ts";

/** How a load treats what other programs wrote. */
export interface LoadOptions {
  /**
   * What the tokens `NaN`, `Infinity` and `-Infinity` are read as, which Python's json module writes and which are no JSON:
   * `"null"` gives null, `"text"` the strings `"NaN"`, `"Infinity"` and `"-Infinity"`. Without it they are refused.
   */
  nonFinite?: NonFinite | undefined;
}

/** @throws ValidationError for options that do not exist, and for values that mean nothing. */
export function assertLoadOptions(options: LoadOptions | undefined): void {
  assertOptions("options", options, ["nonFinite"]);
  assertNonFinite("options.nonFinite", options?.nonFinite);
}
