import { parseWithTokens } from "@perdura/internals/json/parse_with_tokens.js";
import { isPlainObject, pointerTo } from "@perdura/internals/json/values.js";
import { lazy } from "@perdura/internals/runtime/lazy.js";
import { contributionFault } from "@perdura/internals/patterns/assert_savable.js";
import { isOrdinaryPattern } from "@perdura/internals/patterns/ordinary_pattern.js";
import { InvalidPatterns } from "@perdura/internals/validity/decide_patterns.js";
import { type PatternProblem, patternProblems, tokenProblems } from "@perdura/internals/validity/pattern_problems.js";
import { type ValuePlace, valuePlaces } from "@perdura/internals/json/value_places.js";
import type { Range } from "../core/splice.ts";
import type { DocumentBytes } from "../io/document_bytes.ts";
import type { DocumentPlaces } from "./document_places.ts";

/** A token that is not JSON, outside the patterns. */
export interface OutsideToken extends Range {
  path: readonly string[];
  token: string;
  /** True for a value that a later member with the same name replaces. */
  replaced: boolean;
}

/** A member that version 16 reads besides the patterns. */
export interface ReadMember extends Range {
  readonly value: unknown;
  /** Places of its values, as offsets in the document. */
  readonly places: readonly ValuePlace[];
}

/** Everything about a library that decisions are based on. */
export interface LibraryFindings {
  bytes: DocumentBytes;
  places: DocumentPlaces;
  invalid: InvalidPatterns<number>;
  tokens: readonly OutsideToken[];
  contributions: ReadMember | undefined;
  /** True if each of the contributions is valid. */
  areContributionsSound: boolean;
  metadata: ReadMember | undefined;
}

/**
 * Judges every part of a library that version 16 does not read as it is.
 *
 * @throws JsonSyntaxFault for text that is not JSON for another reason than the tokens `NaN` and `Infinity`.
 */
export function examineLibrary(bytes: DocumentBytes, places: DocumentPlaces): LibraryFindings {
  const invalid = new InvalidPatterns<number>();
  const tokens: OutsideToken[] = [];
  const read = new Map<string, ReadMember>();
  let areContributionsSound = false;
  for (const [index, member] of places.members.entries()) {
    if (member === places.patterns) continue;
    const { value, hasTokens } = reading(bytes, member);
    const replaced = places.members.some(({ name }, other) => name === member.name && other > index);
    const isRead = !replaced && (member.name === "agent_contributions" || member.name === "metadata");
    for (const place of hasTokens ? placesIn(bytes, member) : [])
      if (place.token !== undefined)
        tokens.push({ ...place, token: place.token, path: [member.name, ...place.path], replaced });
    if (isRead) read.set(member.name, readMember(bytes, member));
    if (isRead && member.name === "agent_contributions") areContributionsSound = reserveNames(invalid, value);
  }
  for (const [index, item] of places.items.entries()) {
    const { value, hasTokens } = reading(bytes, item);
    if (!hasTokens && isOrdinaryPattern(value)) invalid.addSound(index, value);
    else addOther(invalid, bytes, item, index, value, hasTokens);
  }
  const [contributions, metadata] = [read.get("agent_contributions"), read.get("metadata")];
  return { bytes, places, invalid, tokens, contributions, areContributionsSound, metadata };
}

/** Names agents and ids of the contributions. Returns true if each of the contributions is valid. */
function reserveNames(invalid: InvalidPatterns<number>, contributions: unknown): boolean {
  if (!isPlainObject(contributions)) return false;
  let areSound = true;
  for (const [agent, ids] of Object.entries(contributions)) {
    invalid.reserveAgent(agent);
    areSound &&= contributionFault(agent, ids) === undefined;
    for (const id of Array.isArray(ids) ? (ids as unknown[]) : []) if (typeof id === "string") invalid.reserve(id);
  }
  return areSound;
}

/** Its parts are read when they are needed, and kept then: contributions have one for each pattern. */
function readMember(bytes: DocumentBytes, member: Range): ReadMember {
  const read = lazy(() => reading(bytes, member));
  const places = lazy(() => placesIn(bytes, member));
  return {
    ...member,
    get value() {
      return read().value;
    },
    get places() {
      return places();
    },
  };
}

function addOther(
  invalid: InvalidPatterns<number>,
  bytes: DocumentBytes,
  item: Range,
  index: number,
  value: unknown,
  hasTokens: boolean,
): void {
  const problems = hasTokens ? tokenProblems(value) : patternProblems(value);
  if (hasTokens && isPlainObject(value))
    for (const replaced of replacedTokens(problems, placesIn(bytes, item))) problems.push(replaced);
  if (problems.length === 0) invalid.addSound(index, value as { id: string; agent_id: string });
  else invalid.addInvalid(index, value, problems);
}

/** Tokens in values that a later member with the same name replaces: they are not in the value that was read. */
function replacedTokens(problems: readonly PatternProblem[], places: readonly ValuePlace[]): PatternProblem[] {
  const known = new Set(problems.map(({ code, pointer }) => `${code} ${pointer}`));
  return places.flatMap(({ path, token }): PatternProblem[] => {
    const pointer = path.reduce(pointerTo, "");
    if (token === undefined || known.has(`non_finite ${pointer}`)) return [];
    known.add(`non_finite ${pointer}`);
    const value = Number(token);
    return [{ code: "non_finite", field: path[0], pointer, value, reason: "", beyondSchema: false }];
  });
}

/** The value of a range, with numbers in the place of tokens that are not JSON. */
export function reading(bytes: DocumentBytes, range: Range): { value: unknown; hasTokens: boolean } {
  return parseWithTokens(bytes.text(range));
}

/** Places of values in a range of the document, as offsets in the document. */
export function placesIn(bytes: DocumentBytes, range: Range): ValuePlace[] {
  const { start: base } = range;
  return valuePlaces(bytes.text(range, "latin1")).map((place) => ({
    ...place,
    start: place.start + base,
    end: place.end + base,
    nameStart: place.nameStart + base,
    nameEnd: place.nameEnd + base,
  }));
}
