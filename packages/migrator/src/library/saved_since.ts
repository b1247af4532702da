import { isDeepStrictEqual } from "node:util";
import { countText } from "@perdura/cli/quantities.js";
import { isPlainObject, isRawNumber, pointerTo } from "@perdura/internals/json/values.js";
import { type Pattern, PATTERN_FIELDS } from "@perdura/internals/patterns/pattern.js";
import { ReceivedPatterns } from "@perdura/internals/patterns/received_patterns.js";
import { quote } from "@perdura/internals/text/describe.js";
import { NO_DECISION, type Resolved } from "@perdura/internals/validity/decide_patterns.js";
import { type Edit, type Range, removals, spliced } from "../core/splice.ts";
import { relevantDecisions } from "../database/patterns/decisions_report.ts";
import { concernsOf, decideLibrary, itemEdits, type LibraryDecisions, type LibraryOutcome } from "./decide_library.ts";
import { type DocumentPlaces, documentPlaces } from "./document_places.ts";
import { examineLibrary, type LibraryFindings, placesIn, reading } from "./examine_library.ts";

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
  /** True after `down`: invalid patterns of the original are in it unchanged, and nothing more can be restored. */
  isDowngraded: boolean;
  /** The library with all that can be restored; undefined if that is nothing. */
  restored: Buffer | undefined;
  /** Parts that cannot be restored. */
  notes: string[];
}

/** A pattern of the library as it is now. */
interface Item {
  range: Range;
  value: unknown;
}

/** The library as it is now. */
interface Now {
  bytes: Buffer;
  places: DocumentPlaces;
  items: readonly Item[];
  byId: ReadonlyMap<unknown, readonly Item[]>;
}

/** State of an invalid pattern of the original. */
type Fate =
  | { kind: "unchanged" }
  /** It is only in the backup. */
  | { kind: "quarantined" }
  /** The same, and another pattern has its id now. */
  | { kind: "replaced" }
  /** These of its fields still have the values of the repair. */
  | { kind: "repaired"; item: Item; fields: readonly string[]; changed: boolean }
  | { kind: "deleted" };

/**
 * Compares a library with its original, and restores parts that only the original has. No record tells the decisions of
 * the migration; when in doubt, a pattern is restored.
 *
 * @returns Undefined if one of them is not the complete text of a library.
 */
export function compareWithOriginal(original: Buffer, current: Buffer): SavedSince | undefined {
  const found = compareOnce(original, current);
  // A restored part can make another reading of the decisions the better one.
  for (let last = found, times = 0; last?.restored !== undefined; times += 1) {
    if (times === MOST_READINGS) throw new Error("The library cannot be restored completely.");
    const next = compareOnce(original, last.restored);
    if (next?.restored !== undefined) {
      found?.notes.push(...next.notes.filter((note) => !found.notes.includes(note)));
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

/** There are fewer combinations of decisions. */
const MOST_READINGS = 40;

function compareOnce(original: Buffer, current: Buffer): SavedSince | undefined {
  const [before, places] = [documentPlaces(original), documentPlaces(current)];
  if (![before, places].every((found) => found.cut === undefined && found.patterns !== undefined)) return undefined;
  const findings = examineLibrary(original, before);
  const now = read(current, places);
  const { outcome, fates } = bestReading(findings, now);
  const { items } = outcome.resolution;
  const edits: Edit[] = [];
  const back: number[] = [];
  const notes: string[] = [];
  let [repaired, changed] = [0, changedSince(findings, now, new Set(items.map(({ invalid }) => invalid.key)))];
  for (const [index, fate] of fates.entries()) {
    const resolved = items[index] as Resolved<number>;
    if (fate.kind === "quarantined") back.push(resolved.invalid.key);
    else if (fate.kind === "replaced")
      notes.push(
        `the pattern ${quote(resolved.invalid.shownId)} stays in the backup: a pattern with its id was saved since`,
      );
    else if (fate.kind === "repaired") {
      edits.push(...fieldEdits(findings, now, resolved, fate));
      repaired += fate.fields.length;
    }
    if (fate.kind === "deleted" || (fate.kind === "repaired" && fate.changed)) changed += 1;
  }
  edits.push(...additions(findings, now, back), ...namesOfAgents(now, outcome));
  const outside = outcome.problems.filter(({ code }) => code !== "contributing_agent").length;
  if (edits.length > 0 && outside > 0)
    notes.push(`${countText(outside, "value")} outside the patterns stay as version 16 saved them`);
  return {
    patterns: before.items.length,
    quarantined: fates.filter(({ kind }) => kind === "quarantined" || kind === "replaced").length,
    returning: back.length,
    repaired,
    changed,
    isDowngraded: repaired + back.length === 0 && fates.some(({ kind }) => kind === "unchanged"),
    restored: repaired + back.length === 0 ? undefined : spliced(current, edits),
    notes,
  };
}

function read(bytes: Buffer, places: DocumentPlaces): Now {
  const items = places.items.map((range): Item => ({ range, value: reading(bytes, range).value }));
  return { bytes, places, items, byId: Map.groupBy(items, ({ value }) => idOf(value)) };
}

function idOf(value: unknown): unknown {
  const id = isPlainObject(value) ? value["id"] : undefined;
  return keyOf(isRawNumber(id) ? id.rawJSON : id);
}

/** An id can be anything; equal objects are the same one. */
function keyOf(id: unknown): unknown {
  return typeof id === "object" && id !== null ? `\0${JSON.stringify(id)}` : id;
}

/** The decisions that explain the library best. */
function bestReading(findings: LibraryFindings, now: Now): { outcome: LibraryOutcome; fates: Fate[] } {
  let best: { outcome: LibraryOutcome; fates: Fate[]; explained: number } | undefined;
  for (const others of relevantDecisions(findings.invalid, concernsOf(findings)))
    for (const invalidRows of ["abort", "quarantine"] as const) {
      const decisions = { ...others, invalidRows };
      const outcome = decideLibrary(findings, decisions);
      if (!outcome.complete) continue;
      const fates = fatesUnder(findings, now, outcome, decisions);
      const explained = fates.reduce((sum, fate) => sum + weightOf(fate), 0);
      if (best === undefined || explained > best.explained) best = { outcome, fates, explained };
    }
  if (best !== undefined) return best;
  const outcome = decideLibrary(findings, { ...NO_DECISION, invalidRows: "abort" });
  return { outcome, fates: outcome.resolution.items.map(() => ({ kind: "unchanged" })) };
}

/** A repaired pattern explains more than one that is absent for any reason, and a changed one little. */
function weightOf(fate: Fate): number {
  switch (fate.kind) {
    case "unchanged":
      return 4;
    case "repaired":
      return fate.changed ? 1 : 4;
    case "quarantined":
      return 2;
    default:
      return 0;
  }
}

function fatesUnder(
  findings: LibraryFindings,
  now: Now,
  { resolution: { items } }: LibraryOutcome,
  decisions: LibraryDecisions,
): Fate[] {
  const taken = new Map<unknown, number>();
  for (const { readable, id } of items) if (readable) taken.set(id, (taken.get(id) ?? 0) + 1);
  const seen = new Map<unknown, number>();
  return items.map((resolved): Fate => {
    const { invalid, readable, id } = resolved;
    const former = keyOf(invalid.rawId);
    const nth = seen.get(former) ?? 0;
    seen.set(former, nth + 1);
    const range = findings.places.items[invalid.key] as Range;
    const { value } = reading(findings.bytes, range);
    const same = candidates(now.byId.get(former) ?? [], nth);
    const isSound = typeof former === "string" && findings.invalid.hasSound(former);
    const others = (taken.get(former) ?? 0) + Number(isSound);
    const isThere = (now.byId.get(former)?.length ?? 0) > others;
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
    const [item] = now.byId.get(id) ?? [];
    if (item === undefined) return { kind: "deleted" };
    const [repair, loaded] = [asLoaded(repairedValue(findings, range, resolved, decisions)), asLoaded(item.value)];
    // A program may have given the new id to a pattern of its own.
    if (fields.includes("id") && !isSameApartFromUse(repair, loaded)) return { kind: "deleted" };
    const kept = fields.filter(
      (field) =>
        fieldOf(item.value, field) !== undefined && isDeepStrictEqual(repair?.[field as "id"], loaded?.[field as "id"]),
    );
    return { kind: "repaired", item, fields: kept, changed: kept.length < fields.length };
  });
}

/** Patterns with the same id that may be the n-th of them: all of a few, otherwise the n-th. */
function candidates(same: readonly Item[], nth: number): readonly Item[] {
  return same.length <= MANY ? same : same.slice(nth, nth + 1);
}

const MANY = 50;

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
  const text = spliced(bytes.subarray(range.start, range.end), edits);
  return reading(text, { start: 0, end: text.length }).value;
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

/** The fields that a use changes. */
const UNUSED = { usage_count: 0, success_count: 0, failure_count: 0, last_used: null };

/** Number of valid patterns of the original that are different now. */
function changedSince({ bytes, places }: LibraryFindings, now: Now, invalid: ReadonlySet<number>): number {
  let count = 0;
  for (const [index, range] of places.items.entries()) {
    if (invalid.has(index)) continue;
    const { value } = reading(bytes, range);
    const [item] = now.byId.get(idOf(value)) ?? [];
    if (item === undefined || !isDeepStrictEqual(asLoaded(item.value), asLoaded(value))) count += 1;
  }
  return count;
}

/** Gives the fields of a repaired pattern their original texts; those that it did not have are removed. */
function fieldEdits(
  findings: LibraryFindings,
  now: Now,
  { invalid, id }: Resolved<number>,
  { item, fields }: Fate & { kind: "repaired" },
): Edit[] {
  const original = placesIn(findings.bytes, findings.places.items[invalid.key] as Range);
  const present = placesIn(now.bytes, item.range);
  const isIn = (field: string, { path }: { path: readonly string[] }): boolean =>
    path.length === 1 && path[0] === field;
  const former = new Map(fields.map((field) => [field, original.findLast((place) => isIn(field, place))]));
  const members = present.filter(({ path }) => path.length === 1);
  const whole = members.map(({ nameStart, end }) => ({ start: nameStart, end }));
  return [
    ...removals(whole, (index) => {
      const field = members[index]?.path[0] as string;
      return former.has(field) && former.get(field) === undefined;
    }),
    ...fields.flatMap((field): Edit[] => {
      const [from, to] = [former.get(field), present.findLast((place) => isIn(field, place))];
      if (from === undefined || to === undefined) return [];
      const text = findings.bytes.toString("utf8", from.start, from.end);
      const own = { start: to.start, end: to.end, text };
      return field === "id" ? [own, ...contributionsOf(now, id, text)] : [own];
    }),
  ];
}

/** Contributions follow a pattern that gets its former id. */
function contributionsOf(now: Now, id: string | undefined, text: string): Edit[] {
  const member = now.places.members.findLast(({ name }) => name === "agent_contributions");
  if (member === undefined) return [];
  return placesIn(now.bytes, member).flatMap(({ path, start, end }) =>
    path.length === 2 && now.bytes.toString("utf8", start, end) === JSON.stringify(id) ? [{ start, end, text }] : [],
  );
}

/** Agents that got a name get their former one. */
function namesOfAgents(now: Now, { resolution }: LibraryOutcome): Edit[] {
  const member = now.places.members.findLast(({ name }) => name === "agent_contributions");
  const former = new Map([...resolution.agents].map(([raw, name]) => [name, raw]));
  if (member === undefined || former.size === 0) return [];
  return placesIn(now.bytes, member).flatMap(({ path, nameStart, nameEnd }) => {
    const raw = path.length === 1 ? former.get(path[0] as string) : undefined;
    return typeof raw === "string" ? [{ start: nameStart, end: nameEnd, text: JSON.stringify(raw) }] : [];
  });
}

/** Appends patterns of the original, byte for byte. */
function additions({ bytes, places }: LibraryFindings, now: Now, keys: readonly number[]): Edit[] {
  if (keys.length === 0) return [];
  const [last, beforeLast] = [now.places.items.at(-1), now.places.items.at(-2)];
  const separator =
    last === undefined || beforeLast === undefined ? ",\n    " : now.bytes.toString("utf8", beforeLast.end, last.start);
  const texts = keys.map((key) => {
    const { start, end } = places.items[key] as Range;
    return bytes.toString("utf8", start, end);
  });
  const place = last?.end ?? (now.places.patterns as Range).end - 1;
  const text = texts.join(separator);
  return [
    { start: place, end: place, text: last === undefined ? text : `${separator}${text}` },
    ...countEdits(now, keys.length),
  ];
}

function countEdits({ bytes, places, items }: Now, added: number): Edit[] {
  const member = places.members.findLast(({ name }) => name === "metadata");
  const found = member === undefined ? [] : placesIn(bytes, member);
  const count = found.findLast(({ path }) => path.reduce(pointerTo, "") === "/pattern_count");
  if (count === undefined || bytes.toString("utf8", count.start, count.end) !== String(items.length)) return [];
  return [{ start: count.start, end: count.end, text: String(items.length + added) }];
}
