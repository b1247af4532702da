import { validatePattern } from "../generated/validators.js";
import { type DocumentFault, schemaFault } from "../json/schema_faults.ts";
import { isTimestamp, TIMESTAMP_FORM } from "../text/timestamps.ts";
import { describe } from "../text/describe.ts";
import type { PatternInput } from "./pattern.ts";

/**
 * Says what is wrong with a pattern, or undefined: the schema, plus what a schema cannot say (a finite confidence, a
 * timestamp that the calendar knows). The content of `context` is looked at when it is written.
 */
export function patternFault(pattern: unknown): DocumentFault | undefined {
  return schemaFault(validatePattern, pattern) ?? beyondSchemaFault(pattern as PatternInput);
}

/** The part of {@link patternFault} that a schema cannot express. */
export function beyondSchemaFault(
  pattern: Pick<PatternInput, "discovered_at" | "last_used" | "confidence">,
): DocumentFault | undefined {
  for (const field of ["discovered_at", "last_used"] as const) {
    const timestamp = pattern[field];
    if (typeof timestamp === "string" && !isTimestamp(timestamp)) {
      return { pointer: `/${field}`, reason: `expected ${TIMESTAMP_FORM} of the calendar, got ${describe(timestamp)}` };
    }
  }
  const { confidence } = pattern;
  if (typeof confidence === "number" && !Number.isFinite(confidence)) {
    return { pointer: "/confidence", reason: `expected a finite number, got ${describe(confidence)}` };
  }
  return undefined;
}
