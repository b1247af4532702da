import { isTooDeep } from "../json/values.ts";
import { isTimestamp } from "../text/timestamps.ts";
import { type Pattern } from "./pattern.ts";
import { PATTERN_FIELDS } from "../validity/pattern_fields.ts";

/**
 * True for a pattern with all fourteen fields in their order, no other members, and valid values. Nearly all patterns
 * are like that, and this check is many times faster than {@link patternFault}, which must check all others. Of a
 * context it only checks that it is an object that is not nested too deeply.
 */
export function isOrdinaryPattern(value: unknown): value is Pattern {
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false;
  let place = 0;
  for (const field in value) {
    if (field !== PATTERN_FIELDS[place]) return false;
    place += 1;
  }
  return place === PATTERN_FIELDS.length && hasOrdinaryFields(value as Pattern);
}

/** Checks the values of the fields for {@link isOrdinaryPattern}. */
export function hasOrdinaryFields(pattern: Pattern): boolean {
  return (
    isOrdinaryIdentifier(pattern.id) &&
    isOrdinaryIdentifier(pattern.agent_id) &&
    typeof pattern.pattern_type === "string" &&
    typeof pattern.name === "string" &&
    isTextOrNull(pattern.description) &&
    isOrdinaryContext(pattern.context) &&
    isTextOrNull(pattern.code) &&
    Number.isFinite(pattern.confidence) &&
    Number.isSafeInteger(pattern.usage_count) &&
    Number.isSafeInteger(pattern.success_count) &&
    Number.isSafeInteger(pattern.failure_count) &&
    areOrdinaryTags(pattern.tags) &&
    isTimestampOrNull(pattern.discovered_at) &&
    isTimestampOrNull(pattern.last_used)
  );
}

/**
 * Maximum length of an identifier that is checked here. Longer ones, and those with surrogates or characters above
 * them, need the exact check.
 */
const LONGEST = 64;

function isOrdinaryIdentifier(id: unknown): boolean {
  if (typeof id !== "string" || id.length === 0 || id.length > LONGEST) return false;
  for (let index = 0; index < id.length; index += 1) {
    const code = id.charCodeAt(index);
    if (code === 0 || code >= 0xd800) return false;
  }
  return true;
}

export function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

function isTimestampOrNull(value: unknown): boolean {
  return value === null || (typeof value === "string" && isTimestamp(value));
}

/** An exact number is an object, too, but has no prototype. */
function isOrdinaryContext(value: unknown): boolean {
  return (
    value === null ||
    (typeof value === "object" &&
      !Array.isArray(value) &&
      Object.getPrototypeOf(value) === Object.prototype &&
      !isTooDeep(value))
  );
}

function areOrdinaryTags(tags: unknown): boolean {
  if (tags === null) return true;
  if (!Array.isArray(tags)) return false;
  for (let index = 0; index < tags.length; index += 1) if (typeof tags[index] !== "string") return false;
  return true;
}
