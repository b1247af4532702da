import { ValidationError } from "../errors/errors.ts";
import { describe, quote } from "../text/describe.ts";
import { identifierFault } from "../text/identifiers.ts";
import { isTimestamp, TIMESTAMP_TEXT } from "../text/timestamps.ts";
import { patternFault } from "./check_pattern.ts";
import { isOrdinaryPattern } from "./ordinary_pattern.ts";
import type { PatternLibrary, PatternUsage } from "./library.ts";
import type { Pattern } from "./pattern.ts";

/**
 * Checks a library that callers may have changed in place: each pattern is valid and stored under its id, and
 * contributions and queued uses are valid.
 *
 * @param place Destination that stays unchanged, for the message.
 * @returns Valid patterns that do not pass {@link isOrdinaryPattern}; they have to be completed first.
 * @throws ValidationError that names the pattern and the field.
 */
export function assertSavable(library: PatternLibrary, place: string): Set<Pattern> {
  if (
    !((library as Partial<PatternLibrary> | undefined)?.patterns instanceof Map) ||
    !(library.agentContributions instanceof Map)
  ) {
    throw new ValidationError(`expected a PatternLibrary, got ${describe(library)}. Nothing was written to ${place}.`, {
      argument: "library",
    });
  }
  const refuse = (subject: string, fault: string, pointer?: string): never => {
    throw new ValidationError(`${fault}. Nothing was written to ${place}.`, { subject, argument: "library", pointer });
  };
  const others = new Set<Pattern>();
  for (const [key, pattern] of library.patterns) {
    if (isOrdinaryPattern(pattern) && pattern.id === key) continue;
    const fault = patternFault(pattern);
    if (fault !== undefined) refuse(`pattern ${describe(key)}`, `${fault.pointer}: ${fault.reason}`, fault.pointer);
    if (pattern.id !== key)
      refuse(`pattern ${describe(key)}`, `it is stored under ${quote(key)} but its id is ${quote(pattern.id)}`);
    others.add(pattern);
  }
  for (const [agentId, patternIds] of library.agentContributions) {
    const fault = contributionFault(agentId, patternIds);
    if (fault !== undefined) refuse(`agentContributions of ${describe(agentId)}`, fault);
  }
  for (const [index, usage] of library.pendingUsage.entries()) {
    const fault = usageFault(usage);
    if (fault !== undefined) refuse(`pendingUsage[${index}]`, fault);
  }
  return others;
}

/**
 * The fault of an agent's contributions; undefined if they can be saved. The loop uses an index to find the holes of a
 * sparse array.
 */
export function contributionFault(agentId: unknown, patternIds: unknown): string | undefined {
  if (!Array.isArray(patternIds)) return `expected an array of pattern ids, got ${describe(patternIds)}`;
  const agentFault = identifierFault(agentId);
  if (agentFault !== undefined) return `agent id: ${agentFault}`;
  for (let index = 0; index < patternIds.length; index += 1) {
    const fault = identifierFault(patternIds[index]);
    if (fault !== undefined) return `pattern id ${index}: ${fault}`;
  }
  return undefined;
}

function usageFault(usage: PatternUsage): string | undefined {
  for (const field of ["pattern_id", "agent_id"] as const) {
    const fault = identifierFault(usage?.[field]);
    if (fault !== undefined) return `${field}: ${fault}`;
  }
  if (typeof usage.success !== "boolean") return `success: expected a boolean, got ${describe(usage.success)}`;
  if (typeof usage.used_at === "string" && isTimestamp(usage.used_at)) return undefined;
  return `used_at: expected ${TIMESTAMP_TEXT}, got ${describe(usage.used_at)}`;
}
