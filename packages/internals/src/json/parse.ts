import { needsStrictReader } from "./needs_strict_reader.ts";
import { StrictParser, type TokenReading } from "./strict_parser.ts";

/**
 * Reads JSON text. Uses `JSON.parse`, except for two kinds of text, which the strict reader reads:
 *
 * - a number that a double would change is kept as a raw JSON number;
 * - a key written with an escape: V8 13 and newer (Node 24 and 26) compare such a key with the key that they expect
 *   before they decode it. Once any object of the process had the key `\\`, `{"a":0,"\\n":0}` may be read as
 *   `{"a":0,"\\\\":0}`.
 *
 * @param nonFinite Reads `NaN`, `Infinity` and `-Infinity`, which are not JSON, as null, as text, or as numbers.
 * @throws JsonSyntaxFault with the offset of the first place that is not JSON.
 */
export function parseJson(text: string, nonFinite?: TokenReading): unknown {
  const value = parsedByEngine(text, nonFinite !== undefined);
  return value === undefined ? new StrictParser(text, nonFinite).parse() : value;
}

/** Undefined for text that needs the strict reader, which finds a fault with its position. */
export function parsedByEngine(text: string, expectsTokens: boolean): unknown {
  if (needsStrictReader(text, expectsTokens)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
