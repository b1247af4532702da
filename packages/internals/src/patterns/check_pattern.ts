import { ValidationError } from "../errors/errors.ts";
import type { DocumentFault } from "../json/schema_faults.ts";
import { quote } from "../text/describe.ts";
import { nearMiss } from "../text/near_miss.ts";
import { type PatternProblem, patternProblems } from "../validity/pattern_problems.ts";
import { PATTERN_FIELDS } from "../validity/pattern_fields.ts";

/** The fault of a pattern; undefined for a valid one. The values in `context` are checked when it is written. */
export function patternFault(pattern: unknown): DocumentFault | undefined {
  const [first] = patternProblems(pattern);
  return first === undefined ? undefined : faultOf(first);
}

/** A problem as a fault of a document: a missing field is at the object that lacks it. */
export function faultOf({ code, field, pointer, value, reason }: PatternProblem): DocumentFault {
  return { pointer: code === "missing" && value === undefined ? "" : pointer, reason, field };
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
