import { validatePattern } from "../generated/validators.js";
import { type DocumentFault, schemaFault } from "../json/schema_faults.ts";
import { isRawNumber } from "../json/values.ts";
import { isTimestamp, TIMESTAMP_TEXT } from "../text/timestamps.ts";
import { describe } from "../text/describe.ts";
import type { PatternInput } from "./pattern.ts";

/**
 * The fault of a pattern; undefined for a valid one. Checks the schema and what a schema cannot express: timestamps
 * must exist in the calendar, and a context must not be an exact number. The content of `context` is checked when it is
 * written.
 */
export function patternFault(pattern: unknown): DocumentFault | undefined {
  return schemaFault(validatePattern, pattern) ?? beyondSchemaFault(pattern as PatternInput);
}

/** The part of {@link patternFault} that a schema cannot express. */
export function beyondSchemaFault(
  pattern: Pick<PatternInput, "context" | "discovered_at" | "last_used">,
): DocumentFault | undefined {
  for (const field of ["discovered_at", "last_used"] as const) {
    const timestamp = pattern[field];
    if (typeof timestamp === "string" && !isTimestamp(timestamp)) {
      return { pointer: `/${field}`, reason: `expected ${TIMESTAMP_TEXT} of the calendar, got ${describe(timestamp)}` };
    }
  }
  // An exact number is an object in JavaScript, but not in JSON.
  if (isRawNumber(pattern.context)) {
    return { pointer: "/context", reason: `expected object or null, got ${describe(pattern.context)}` };
  }
  return undefined;
}
