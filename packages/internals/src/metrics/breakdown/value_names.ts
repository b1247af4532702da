import { parseJson } from "../../json/parse.ts";
import { type JsonValue, rawNumber } from "../../json/values.ts";

/**
 * Values of a key have names in SQL, which are equal for equal values: the kind and the text, such as `text:search`,
 * `number:1.5`, `true:` or `json:[1]`. This is the name of the interactions without the key, which have the value null.
 */
export const NO_VALUE = "";

/** The value that a name stands for. */
export function valueOf(name: string): JsonValue {
  const at = name.indexOf(":");
  const text = name.slice(at + 1);
  switch (name.slice(0, at)) {
    case "text":
      return text;
    case "number":
      return isExact(Number(text)) ? Number(text) : rawNumber(text);
    case "json":
      return parseJson(text) as JsonValue;
    case "true":
      return true;
    case "false":
      return false;
    default:
      return null;
  }
}

/** The same name for numbers that are written differently. */
export function canonicalName(name: string): string {
  const number = name.startsWith("number:") ? Number(name.slice("number:".length)) : Number.NaN;
  return isExact(number) ? `number:${number}` : name;
}

const isExact = (number: number): boolean =>
  Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
