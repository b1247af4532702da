import { stringifyExact } from "./exact_numbers.ts";
import { inspectJson, type JsonObject } from "./values.ts";

/**
 * A JSON object as text, on one line unless indented, with everything that native `JSON.stringify` would lose kept.
 *
 * @throws ValidationError for what JSON cannot hold.
 */
export function jsonObjectText(value: JsonObject, what: string, argument?: string): string {
  return inspectJson(value, what, argument).needsExactWriter ? stringifyExact(value) : JSON.stringify(value);
}
