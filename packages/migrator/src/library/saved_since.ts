import { isDeepStrictEqual } from "node:util";
import { countText } from "@perdura/cli/quantities.js";
import { parseWithTokens } from "@perdura/internals/json/parse_with_tokens.js";
import { isPlainObject } from "@perdura/internals/json/values.js";
import { type Pattern } from "@perdura/internals/patterns/pattern.js";
import { PATTERN_FIELDS } from "@perdura/internals/validity/pattern_fields.js";
import { ReceivedPatterns } from "@perdura/internals/patterns/received_patterns.js";
import { quote } from "@perdura/internals/text/describe.js";
import { NO_DECISION, type Resolved } from "@perdura/internals/validity/decide_patterns.js";
import { type Edit, Edits, type Range, spliced } from "../core/splice.ts";
import { type DocumentBytes, splicedBytes } from "../io/document_bytes.ts";
import {
  completeOutcomes,
  decideLibrary,
  itemEdits,
  type LibraryDecisions,
  type LibraryOutcome,
} from "./decide_library.ts";
import { type DocumentPlaces, documentPlaces, isWhole } from "./document_places.ts";
import { type LibraryFindings, reading } from "./examine_library.ts";
import { KeyCounts } from "./key_counts.ts";
import { idOf, keyOf, PatternValues, PresentLibrary, type PresentPattern } from "./present_library.ts";
import { additions, contributionsOf, fieldEdits, namesOfAgents } from "./restored_parts.ts";

/** Comparison of a library that a program has saved since the migration with its original. */
export interface SavedSince {
  /** Number of patterns of the original. */
  patterns: number;
  /** Number of its patterns that are only in the backup. */
  quarantined: number;
  /** Number of these that can come back. */
  returning: number;
  /** Number of its values that are repaired. */
  repaired: number;
  /** Number of its patterns that were changed or deleted since. */
  changed: number;
  /** True after `down`: invalid values of the original are in it, and nothing more can be restored. */
  isDowngraded: boolean;
  /** The library with all that can be restored; undefined if that is nothing. */
  restored: DocumentBytes | undefined;
  /** Parts that cannot be restored. */
  notes: string[];
}

/** State of an invalid pattern of the original. */
type Fate =
  | { kind: "unchanged" }
  /** It is only in the backup. */
  | { kind: "quarantined" }
  /** It is only in the backup, and another pattern has its id now. */
  | { kind: "replaced" }
  /** These of its fields still have the values of the repair; `hasInvalid` if another one has its invalid value. */
  | { kind: "repaired"; item: PresentPattern; fields: readonly string[]; changed: boolean; hasInvalid: boolean }
  | { kind: "deleted" };

/**
 * Compares a library with its original, and restores parts that only the original has. No record tells the decisions of
 * the migration; when in doubt, a pattern is restored, unless another one has its id.
 *
 * @param places Parts of the library.
 * @returns Undefined if it is not the complete text of a library.
 */
export function compareWithOriginal(
  findings: LibraryFindings,
  current: DocumentBytes,
  places: DocumentPlaces,
): SavedSince | undefined {
  const found = compareOnce(findings, current, places);
  // A restored part can make another reading of the decisions the better one.
  for (let last = found, times = 0; last?.restored !== undefined; times += 1) {
    if (times === MOST_READINGS) throw new Error("The library cannot be restored completely.");
    const next = compareOnce(findings, last.restored, documentPlaces(last.restored));
    if (next?.restored !== undefined) {
      const known = new Set(found?.notes);
      for (const note of next.notes) if (!known.has(note)) found?.notes.push(note);
      Object.assign(found as SavedSince, {
        returning: (found?.returning ?? 0) + next.returning,
        quarantined: (found?.quarantined ?? 0) + next.returning,
        repaired: (found?.repaired ?? 0) + next.repaired,
        restored: next.restored,
      });
    }
    last = next;
  }
  return found;
}

/** True for a pattern that has an invalid value of the original, which version 16 cannot have saved. */
function hasInvalidValue(fate: Fate): boolean {
  return fate.kind === "unchanged" || (fate.kind === "repaired" && fate.hasInvalid);
}

/** There are fewer combinations of decisions. */
const MOST_READINGS = 40;

function compareOnce(
  findings: LibraryFindings,
  current: DocumentBytes,
  places: DocumentPlaces,
): SavedSince | undefined {
  if (!isWhole(places)) return undefined;
  const now = new PresentLibrary(current, places);
  const { outcome, fates } = bestReading(findings, now);
  const edits = new Edits();
  const renamed = new Map<string, string>();
  const back: number[] = [];
  const notes: string[] = [];
  const isInvalid = new Uint8Array(findings.places.items.length);
  let [quarantined, repaired, changed, stillInvalid] = [0, 0, 0, 0];
  for (const { resolved, fate } of fates()) {
    isInvalid[resolved.invalid.key] = 1;
    if (fate.kind === "quarantined") back.push(resolved.invalid.key);
    else if (fate.kind === "replaced")
      notes.push(
        `the pattern ${quote(resolved.invalid.shownId)} stays in the backup: a pattern with its id was saved since`,
      );
    else if (fate.kind === "repaired") {
      edits.addAll(fieldEdits(findings, now, resolved, fate, renamed));
      repaired += fate.fields.length;
    }
    if (fate.kind === "quarantined" || fate.kind === "replaced") quarantined += 1;
    if (fate.kind === "deleted" || (fate.kind === "repaired" && fate.changed)) changed += 1;
    if (hasInvalidValue(fate)) stillInvalid += 1;
  }
  edits.addAll(contributionsOf(now, renamed));
  edits.addAll(additions(findings, now, back));
  edits.addAll(namesOfAgents(now, outcome));
  const outside = outcome.problems.filter(({ code }) => code !== "contributing_agent").length;
  if (edits.length > 0 && outside > 0)
    notes.push(`${countText(outside, "value")} outside the patterns stay as version 16 saved them`);
  return {
    patterns: findings.places.items.length,
    quarantined,
    returning: back.length,
    repaired,
    changed: changed + changedSince(findings, now, isInvalid),
    isDowngraded: repaired + back.length === 0 && stillInvalid > 0,
    restored: repaired + back.length === 0 ? undefined : splicedBytes(current, edits),
    notes,
  };
}

/** The outcome of decisions, and the states of the invalid patterns, which are determined at each call and not kept. */
interface LibraryReading {
  outcome: LibraryOutcome;
  fates: () => Iterable<{ resolved: Resolved<number>; fate: Fate }>;
}

/** The decisions that explain the library best. */
function bestReading(findings: LibraryFindings, now: PresentLibrary): LibraryReading {
  const values = new PatternValues(findings.bytes, findings.places);
  let best: (LibraryReading & { explained: number }) | undefined;
  for (const { decisions, outcome } of completeOutcomes(findings)) {
    const fates = (): Generator<{ resolved: Resolved<number>; fate: Fate }> =>
      fatesUnder(findings, values, now, outcome, decisions);
    const explained = explainedBy(fates(), findings.invalid.count, best?.explained);
    if (explained !== undefined) best = { outcome, fates, explained };
    if (explained === MOST_WEIGHT * findings.invalid.count) break;
  }
  if (best !== undefined) return best;
  const outcome = decideLibrary(findings, { ...NO_DECISION, invalidRows: "abort" });
  return { outcome, fates: () => unchanged(outcome) };
}

/** The sum of the weights; undefined if it is not larger than that of the best reading. */
function explainedBy(fates: Iterable<{ fate: Fate }>, patterns: number, best = -1): number | undefined {
  let [explained, left] = [0, patterns];
  for (const { fate } of fates) {
    explained += weightOf(fate);
    left -= 1;
    if (explained + MOST_WEIGHT * left <= best) return undefined;
  }
  return explained > best ? explained : undefined;
}

function* unchanged({ resolution }: LibraryOutcome): Generator<{ resolved: Resolved<number>; fate: Fate }> {
  for (const resolved of resolution.items) yield { resolved, fate: { kind: "unchanged" } };
}

const MOST_WEIGHT = 4;

/** A repaired pattern explains more than one that is absent for any reason, and a changed one little. */
function weightOf(fate: Fate): number {
  switch (fate.kind) {
    case "unchanged":
      return MOST_WEIGHT;
    case "repaired":
      return fate.changed ? 1 : MOST_WEIGHT;
    case "quarantined":
      return 2;
    default:
      return 0;
  }
}

function* fatesUnder(
  findings: LibraryFindings,
  values: PatternValues,
  now: PresentLibrary,
  { resolution: { items } }: LibraryOutcome,
  decisions: LibraryDecisions,
): Generator<{ resolved: Resolved<number>; fate: Fate }> {
  const taken = new KeyCounts();
  for (const { readable, id } of items) if (readable) taken.add(id);
  const seen = new KeyCounts();
  for (const resolved of items) {
    const nth = seen.add(keyOf(resolved.invalid.rawId));
    yield { resolved, fate: fateOf(resolved, nth) };
  }

  function fateOf(resolved: Resolved<number>, nth: number): Fate {
    const { invalid, readable, id } = resolved;
    const former = keyOf(invalid.rawId);
    const range = findings.places.items.at(invalid.key) as Range;
    const value = values.at(invalid.key);
    const same = now.candidates(former, nth);
    const isSound = typeof former === "string" && findings.invalid.hasSound(former);
    const others = taken.of(former) + Number(isSound);
    const isThere = now.countOf(former) > others;
    if (!readable) {
      if (!isThere) return { kind: "quarantined" };
      return { kind: same.some((item) => isDeepStrictEqual(item.value, value)) ? "unchanged" : "replaced" };
    }
    const fields = fieldsOf(resolved);
    if (
      (isThere || !fields.includes("id")) &&
      same.some((item) => fields.every((field) => isDeepStrictEqual(fieldOf(item.value, field), fieldOf(value, field))))
    )
      return { kind: "unchanged" };
    const item = now.first(id);
    if (item === undefined) return { kind: "deleted" };
    const [repair, loaded] = [asLoaded(repairedValue(findings, range, resolved, decisions)), asLoaded(item.value)];
    // A program may have given the new id to a pattern of its own.
    if (fields.includes("id") && !isSameApartFromUse(repair, loaded)) return { kind: "deleted" };
    if (!isSamePattern(repair, loaded)) return { kind: "replaced" };
    const kept = fields.filter(
      (field) =>
        fieldOf(item.value, field) !== undefined && isDeepStrictEqual(repair?.[field as "id"], loaded?.[field as "id"]),
    );
    const hasInvalid = fields.some((field) => {
      const before = fieldOf(value, field);
      return before !== undefined && isDeepStrictEqual(fieldOf(item.value, field), before);
    });
    return { kind: "repaired", item, fields: kept, changed: kept.length < fields.length, hasInvalid };
  }
}

/** The fields that the repairs of a pattern change; version 16 keeps no others. */
function fieldsOf({ repairs }: Resolved<number>): string[] {
  const changed = new Set(repairs.map(({ pointer, field }) => pointer.split("/")[1] ?? field));
  return PATTERN_FIELDS.filter((field) => changed.has(field));
}

function fieldOf(value: unknown, field: string): unknown {
  return isPlainObject(value) ? value[field] : undefined;
}

function repairedValue(
  { bytes }: LibraryFindings,
  range: Range,
  resolved: Resolved<number>,
  decisions: LibraryDecisions,
): unknown {
  const edits = itemEdits(bytes, range, resolved, decisions).map((edit): Edit => ({
    ...edit,
    start: edit.start - range.start,
    end: edit.end - range.start,
  }));
  return parseWithTokens(spliced(bytes.piece(range), edits).toString()).value;
}

/** The pattern that version 16 reads; undefined for an invalid one. */
function asLoaded(value: unknown): Pattern | undefined {
  const received = new ReceivedPatterns();
  received.add(isPlainObject(value) ? { ...value } : value);
  const patterns = new Map<string, Pattern>();
  if (received.schemaFault !== undefined || received.putInto(patterns) !== undefined) return undefined;
  return patterns.values().next().value;
}

function isSameApartFromUse(one: Pattern | undefined, other: Pattern | undefined): boolean {
  const [left, right] = [one, other].map((pattern) => ({ ...pattern, ...UNUSED }));
  return isDeepStrictEqual(left, right);
}

/**
 * True for the same pattern, perhaps changed. With the same id alone it can be a new pattern, to which an invalid value
 * of the former one does not belong: the time of its discovery must be the same or, without one, everything that names
 * it.
 */
function isSamePattern(one: Pattern | undefined, other: Pattern | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  // Version 16 writes a T for a space.
  const [former, now] = [one, other].map(({ discovered_at: time }) => time?.replace(" ", "T"));
  if (former !== now) return false;
  if (former !== undefined) return true;
  return (["agent_id", "pattern_type", "name"] as const).every((field) => one[field] === other[field]);
}

/** The fields that a use changes. */
const UNUSED = { usage_count: 0, success_count: 0, failure_count: 0, last_used: null };

/** Number of valid patterns of the original that are different now. */
function changedSince({ bytes, places }: LibraryFindings, now: PresentLibrary, isInvalid: Uint8Array): number {
  let count = 0;
  for (const [index, range] of places.items.entries()) {
    if (isInvalid[index] === 1) continue;
    const { value } = reading(bytes, range);
    const item = now.first(idOf(value));
    if (item !== undefined && now.bytes.text(item.range) === bytes.text(range)) continue;
    if (item === undefined || !isDeepStrictEqual(asLoaded(item.value), asLoaded(value))) count += 1;
  }
  return count;
}
