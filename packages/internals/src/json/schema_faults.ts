import type { Validator } from "../generated/validators.js";
import { describe, quote } from "../text/describe.ts";
import { identifierFault } from "../text/identifiers.ts";
import { TIMESTAMP_TEXT } from "../text/timestamps.ts";

/** A fault of a document and its place. */
export interface DocumentFault {
  /** JSON Pointer of the offending value, or of the object that lacks a member. */
  pointer: string;
  /** `expected …, got …` */
  reason: string;
  /** The field of an item that the fault concerns; undefined if it does not concern exactly one. */
  field?: string | undefined;
}

/** Checks a value against a compiled schema; returns undefined for a valid value. */
export function schemaFault(validator: Validator, document: unknown): DocumentFault | undefined {
  if (validator(document)) return undefined;
  const fault = validator.errors?.[0];
  if (fault === undefined) throw new Error("The schema validator refused a document without a reason.");
  const { instancePath: pointer, keyword, params } = fault;
  const value = valueAt(document, pointer);
  switch (keyword) {
    case "required":
      return { pointer, reason: `the required field ${quote(String(params["missingProperty"]))} is missing` };
    case "type": {
      const types = Array.isArray(params["type"]) ? (params["type"] as string[]) : String(params["type"]).split(",");
      // NaN and the infinities are numbers in JavaScript, but not in a schema.
      const expected = types.map((type) => (type === "number" && typeof value === "number" ? "finite number" : type));
      return { pointer, reason: `expected ${expected.join(" or ")}, got ${describe(value)}` };
    }
    case "pattern":
      return { pointer, reason: identifierReason(pointer, value) };
    default:
      return { pointer, reason: `${fault.message ?? `breaks the rule ${keyword}`}, got ${describe(value)}` };
  }
}

/** The reason for text that does not match a pattern of the schema: an identifier or a timestamp. */
function identifierReason(pointer: string, value: unknown): string {
  const identifier = /(?:^|\/)(?:id|agent_id|user_id|pattern_id)$/.test(pointer);
  return (identifier ? identifierFault(value) : undefined) ?? `expected ${TIMESTAMP_TEXT}, got ${describe(value)}`;
}

function valueAt(document: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((value, step) => {
      const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
      return (value as Record<string, unknown>)[key];
    }, document);
}
