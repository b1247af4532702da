import { stringifyExact } from "./exact_numbers.ts";
import { inspectJson } from "./values.ts";

/**
 * Writes a JSON object as text, without the losses of native `JSON.stringify`; on one line unless indented.
 *
 * @throws ValidationError for values that JSON cannot represent.
 */
export function jsonObjectText(value: object, what: string, argument?: string): string {
  return inspectJson(value, what, argument).needsExactWriter ? stringifyExact(value) : JSON.stringify(value);
}
