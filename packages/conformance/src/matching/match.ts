import { below, isObject, isTaggedNumber, tokenOf } from "../values/json_value.ts";
import type { JsonObject, JsonValue } from "../values/json_value.ts";
import { canonicalDecimal, isNumber, sameNumber, toDouble } from "../values/numbers.ts";
import { describe } from "./describe.ts";
import { CaseFault } from "./scope.ts";
import { timestampFault } from "./timestamp.ts";

/** One difference between the expected and the actual value. */
export interface Mismatch {
  /** JSON Pointer into the value. */
  at: string;
  /** The expected value, in words or as JSON text. */
  wanted: string;
  /** The actual value; undefined if it is missing. */
  got: unknown;
}

/**
 * Compares a value with an expectation in which `$data`, `$path` and `$var` are already resolved. The comparison is
 * strict at every depth: another key, another order of an array, or another type is a difference. Numbers compare by
 * value.
 * @param actual undefined if the value is missing.
 * @param began start of the case, in milliseconds since 1970.
 * @returns every difference; an empty list for a match.
 * @throws {CaseFault} when the expectation uses a matcher that does not exist.
 */
export function match(expected: JsonValue, actual: JsonValue | undefined, began: number, at = ""): Mismatch[] {
  if (isObject(expected) && !isTaggedNumber(expected)) {
    const name = Object.keys(expected).find((key) => key.startsWith("$"));
    return name === undefined
      ? matchObject(expected, actual, began, at)
      : applyMatcher(name, expected, actual, began, at);
  }
  if (actual === undefined) return [{ at, wanted: describe(expected), got: undefined }];
  if (Array.isArray(expected)) return matchArray(expected, actual, began, at);
  const same = isNumber(expected) ? isNumber(actual) && sameNumber(expected, actual) : expected === actual;
  return same ? [] : [{ at, wanted: describe(expected), got: actual }];
}

function matchObject(expected: JsonObject, actual: JsonValue | undefined, began: number, at: string): Mismatch[] {
  if (actual === undefined) return [{ at, wanted: describe(expected), got: actual }];
  if (!isObject(actual) || isTaggedNumber(actual))
    return [{ at, wanted: `an object with ${Object.keys(expected).join(", ") || "no keys"}`, got: actual }];
  const found: Mismatch[] = [];
  for (const key of Object.keys(expected)) {
    const member = expected[key] as JsonValue;
    const own = Object.hasOwn(actual, key) ? actual[key] : undefined;
    if (!isSame(member, own)) found.push(...match(member, own, began, below(at, key)));
  }
  for (const key of Object.keys(actual)) {
    if (!Object.hasOwn(expected, key)) found.push({ at: below(at, key), wanted: "no such key", got: actual[key] });
  }
  return found;
}

/** True for equal texts, numbers, truth values and nulls, without a pointer for a message. */
function isSame(expected: JsonValue, actual: JsonValue | undefined): boolean {
  return expected === actual && (typeof expected !== "object" || expected === null);
}

function matchArray(expected: JsonValue[], actual: JsonValue, began: number, at: string): Mismatch[] {
  if (!Array.isArray(actual))
    return [
      { at, wanted: `an array with ${expected.length} ${expected.length === 1 ? "item" : "items"}`, got: actual },
    ];
  const found = expected.flatMap((item, index) =>
    isSame(item, actual[index]) ? [] : match(item, actual[index], began, below(at, index)),
  );
  if (actual.length > expected.length)
    found.push({
      at,
      wanted: `${expected.length} ${expected.length === 1 ? "item" : "items"}, not ${actual.length}`,
      got: actual,
    });
  return found;
}

function applyMatcher(
  name: string,
  matcher: JsonObject,
  actual: JsonValue | undefined,
  began: number,
  at: string,
): Mismatch[] {
  const operand = matcher[name] as JsonValue;
  if (name === "$absentOr") return actual === undefined ? [] : match(operand, actual, began, at);
  if (actual === undefined) return [{ at, wanted: describe(matcher), got: undefined }];
  const verdict = (fits: boolean, wanted: string): Mismatch[] => (fits ? [] : [{ at, wanted, got: actual }]);
  switch (name) {
    case "$any":
      return [];
    case "$type":
      return verdict(
        typeName(actual) === operand || (operand === "number" && isNumber(actual)),
        `a value of type ${String(operand)}`,
      );
    case "$near": {
      const [target, tolerance] = operand as [number, number];
      return verdict(isNumber(actual) && Math.abs(toDouble(actual) - target) <= tolerance, `${target} ± ${tolerance}`);
    }
    case "$between": {
      const [low, high] = operand as [number, number];
      return verdict(
        isNumber(actual) && toDouble(actual) >= low && toDouble(actual) <= high,
        `a number from ${low} to ${high}`,
      );
    }
    case "$oneOf":
      return verdict(
        (operand as JsonValue[]).some((choice) => match(choice, actual, began, at).length === 0),
        `one of ${describe(operand)}`,
      );
    case "$lines":
      return verdict(
        typeof actual === "string" && actual.trim().split(/\r\n|\r|\n/).length >= Number(operand),
        `a text of at least ${String(operand)} lines`,
      );
    case "$set":
      return matchSet(operand as JsonValue[], actual, began, at);
    case "$timestamp": {
      const wanted = timestampFault(
        {
          format: String(operand),
          recent: matcher.recent === true,
          utc: matcher.utc === true,
          ...(typeof matcher.moment === "string" ? { moment: matcher.moment } : {}),
        },
        began,
        actual,
      );
      return wanted === undefined ? [] : [{ at, wanted, got: actual }];
    }
    default:
      throw new CaseFault(`${name} is not a matcher at this place; the matchers are ${MATCHERS.join(" ")}`);
  }
}

/** Number of missing items that are compared with the others in a report; a long array can lack thousands. */
const COMPARED = 50;

function matchSet(expected: JsonValue[], actual: JsonValue, began: number, at: string): Mismatch[] {
  if (!Array.isArray(actual))
    return [{ at, wanted: `an array with ${expected.length} items in any order`, got: actual }];
  if (actual.length === expected.length && equalInOrder(expected, actual, began)) return [];
  const pairing = equalItems(expected, actual);
  if (actual.length === expected.length && pair(expected, actual, began, pairing)) return [];
  const wrong = nearMisses(expected, actual, began, at, pairing);
  if (actual.length === expected.length) return wrong;
  return [{ at, wanted: `${expected.length} items in any order`, got: `${actual.length} items` }, ...wrong];
}

/** True if each item matches the one at its own place: cheaper than a search, and mostly so. */
function equalInOrder(expected: JsonValue[], actual: JsonValue[], began: number): boolean {
  return expected.every((item, index) => match(item, actual[index], began).length === 0);
}

/** Partners of items of two arrays: by the index in the expected array, and by that in the actual one. */
interface Pairing {
  actualOf: Map<number, number>;
  expectedOf: Map<number, number>;
}

/** Pairs equal items, so that only the others are searched for: an array can have thousands of items. */
function equalItems(expected: JsonValue[], actual: JsonValue[]): Pairing {
  const places = new Map<string, number[]>();
  for (const [index, item] of actual.entries()) {
    const text = canonical(item);
    const known = places.get(text);
    if (known) known.push(index);
    else places.set(text, [index]);
  }
  const pairing: Pairing = { actualOf: new Map(), expectedOf: new Map() };
  // The last of them first: pop() is the cheap end.
  for (const known of places.values()) known.reverse();
  for (const [index, item] of expected.entries()) {
    const found = isLoose(item) ? undefined : places.get(canonical(item))?.pop();
    if (found === undefined) continue;
    pairing.actualOf.set(index, found);
    pairing.expectedOf.set(found, index);
  }
  return pairing;
}

/** True for an expectation with a matcher or an exact number, of which {@link canonical} does not decide. */
function isLoose(expected: JsonValue): boolean {
  if (Array.isArray(expected)) return expected.some(isLoose);
  if (!isObject(expected)) return false;
  return Object.entries(expected).some(([key, member]) => key.startsWith("$") || isLoose(member));
}

/** Text of a value: that of a value that is not loose is equal to that of every value that matches it. */
function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (isTaggedNumber(value)) {
    const token = tokenOf(value);
    const whole = /^[+-]?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
    return whole ? canonicalDecimal(token) : canonicalDouble(toDouble(value));
  }
  if (typeof value === "number") return canonicalDouble(value);
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).toSorted();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key] as JsonValue)}`).join(",")}}`;
}

/** Text of a double; that of a number beyond 2^53 is comparable with that of a whole number that a double cannot hold. */
function canonicalDouble(value: number): string {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? String(value) : canonicalDecimal(String(value));
}

/**
 * Differences of the items that match no expected item. Each is compared with the most similar one, by id or by the
 * number of differences, so that a reader sees the field, not two long lists.
 */
function nearMisses(
  expected: JsonValue[],
  actual: JsonValue[],
  began: number,
  at: string,
  { actualOf, expectedOf }: Pairing,
): Mismatch[] {
  const left = new Set([...actual.keys()].filter((index) => !expectedOf.has(index)));
  const missed = expected.filter((wanted, place) => {
    if (actualOf.has(place)) return false;
    if (!isLoose(wanted)) return true;
    const fit = [...left].find((index) => match(wanted, actual[index], began).length === 0);
    return fit === undefined || !left.delete(fit);
  });
  const rest = missed.length - COMPARED;
  const more = rest > 0 ? [{ at, wanted: "no more missing items", got: `${rest} more missing items` }] : [];
  const differences = missed.slice(0, COMPARED).flatMap((wanted) => {
    const candidates = [...left].map((index) => ({
      index,
      found: match(wanted, actual[index], began, below(at, index)),
      alike: isObject(wanted) && isObject(actual[index]) && "id" in wanted && wanted.id === actual[index].id,
    }));
    const [best] = candidates.toSorted((a, b) => Number(b.alike) - Number(a.alike) || a.found.length - b.found.length);
    if (best === undefined) return [{ at, wanted: `${describe(wanted)}, at any index`, got: undefined }];
    left.delete(best.index);
    return best.found;
  });
  return [...differences, ...more];
}

/** Finds a partner for every expectation; reassigns partners if a loose expectation took that of a strict one. */
function pair(expected: JsonValue[], actual: JsonValue[], began: number, pairing: Pairing): boolean {
  const partnerOf = new Map(pairing.expectedOf);
  const place = (wanted: number, tried: Set<number>): boolean =>
    actual.some((item, index) => {
      if (tried.has(index) || match(expected[wanted] as JsonValue, item, began).length > 0) return false;
      tried.add(index);
      const holder = partnerOf.get(index);
      if (holder !== undefined && !place(holder, tried)) return false;
      partnerOf.set(index, wanted);
      return true;
    });
  return expected.every((item, wanted) => pairing.actualOf.has(wanted) || (isLoose(item) && place(wanted, new Set())));
}

function typeName(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (isTaggedNumber(value)) return "$int" in value ? "integer" : "number";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

/** The closed set of matchers. All other expected values are compared strictly, at every depth. */
export const MATCHERS = [
  "$data",
  "$path",
  "$var",
  "$set",
  "$near",
  "$between",
  "$type",
  "$absentOr",
  "$oneOf",
  "$timestamp",
  "$lines",
  "$any",
] as const;
