import { validatePattern } from "../generated/validators.js";
import { ValidationError } from "../errors/errors.ts";
import { type DocumentFault, schemaFault } from "../json/schema_faults.ts";
import { isRawNumber } from "../json/values.ts";
import { isTimestamp, TIMESTAMP_TEXT } from "../text/timestamps.ts";
import { describe, quote } from "../text/describe.ts";
import { nearMiss } from "../text/near_miss.ts";
import { PATTERN_FIELDS, type PatternInput } from "./pattern.ts";

/**
 * The fault of a pattern; undefined for a valid one. Checks the schema and what a schema cannot express: timestamps
 * must exist in the calendar, and a context must not be an exact number. The content of `context` is checked when it is
 * written.
 */
export function patternFault(pattern: unknown): DocumentFault | undefined {
  return schemaFault(validatePattern, pattern) ?? beyondSchemaFault(pattern as PatternInput);
}

/**
 * Rejects a field whose name is nearly that of a field of a pattern, such as `discoveredAt`: its value would be dropped
 * (ruling U-config-keys). Other fields are ignored.
 */
export function assertNoNearMiss(pattern: object): void {
  for (const key of Object.keys(pattern)) {
    if (FIELDS.has(key)) continue;
    const meant = nearMiss(key, PATTERN_FIELDS);
    if (meant === undefined) continue;
    throw new ValidationError(`unknown field ${quote(key)}. Did you mean ${meant}? The library is unchanged.`, {
      argument: "pattern",
      pointer: `/${key}`,
    });
  }
}

const FIELDS: ReadonlySet<string> = new Set(PATTERN_FIELDS);

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
