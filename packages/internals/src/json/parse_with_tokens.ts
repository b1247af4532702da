import { parsedByEngine } from "./parse.ts";
import { StrictParser } from "./strict_parser.ts";

/**
 * Reads JSON text like `parseJson`, with numbers in the place of the tokens `NaN`, `Infinity` and `-Infinity`.
 *
 * @throws JsonSyntaxFault with the offset of the first place that is not JSON for another reason.
 */
export function parseWithTokens(text: string): { value: unknown; hasTokens: boolean } {
  const value = parsedByEngine(text, true);
  if (value !== undefined) return { value, hasTokens: false };
  const parser = new StrictParser(text, "number");
  return { value: parser.parse(), hasTokens: parser.hasTokens };
}
