import { parseJson } from "../../json/parse.ts";
import { JsonSyntaxFault } from "../../json/strict_parser.ts";
import { isPlainObject, type JsonObject } from "../../json/values.ts";

/** The metadata of a listed interaction; null for text of other programs that is not a JSON object. */
export function listedMetadata(text: string | null): JsonObject | null {
  if (text === null) return null;
  try {
    const value = parseJson(text);
    return isPlainObject(value) ? (value as JsonObject) : null;
  } catch (error) {
    if (error instanceof JsonSyntaxFault) return null;
    throw error;
  }
}
