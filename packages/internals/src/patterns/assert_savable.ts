import { ValidationError } from "../errors/errors.ts";
import { describe, quote } from "../text/describe.ts";
import { patternFault } from "./check_pattern.ts";
import type { PatternLibrary } from "./library.ts";

/**
 * Checks that what callers may have changed in place is still a library: each pattern valid and under its own id.
 *
 * @param place What stays unchanged, for the message.
 * @throws ValidationError naming the pattern and the field.
 */
export function assertSavable(library: PatternLibrary, place: string): void {
  if (
    !((library as Partial<PatternLibrary> | undefined)?.patterns instanceof Map) ||
    !(library.agentContributions instanceof Map)
  ) {
    throw new ValidationError(
      `library: expected a PatternLibrary, got ${describe(library)}. Nothing was written to ${place}.`,
    );
  }
  for (const [key, pattern] of library.patterns) {
    const fault = patternFault(pattern);
    const reason =
      fault === undefined
        ? pattern.id === key
          ? undefined
          : `it is stored under ${quote(key)} but its id is ${quote(pattern.id)}`
        : `${fault.pointer}: ${fault.reason}`;
    if (reason !== undefined) {
      throw new ValidationError(`pattern ${describe(key)}: ${reason}. Nothing was written to ${place}.`, {
        pointer: fault?.pointer,
      });
    }
  }
}
