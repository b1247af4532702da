import { isPlainObject, pointerTo } from "@perdura/internals/json/values.js";
import {
  effectUnder,
  NO_DECISION,
  type PatternDecisions,
  type Resolution,
  type Resolved,
} from "@perdura/internals/validity/decide_patterns.js";
import type { Settings } from "../core/options.ts";
import { relevantDecisions } from "../database/patterns/decisions_report.ts";
import { contributionChanges, type LibraryProblem, type PartChanges } from "./contribution_edits.ts";
import { type LibraryFindings, type OutsideToken, placesIn } from "./examine_library.ts";
import { type Edit, Edits, type Range, removals } from "../core/splice.ts";
import { type DocumentBytes, splicedBytes } from "../io/document_bytes.ts";

/** All decisions about a library. */
export type LibraryDecisions = PatternDecisions & Pick<Settings, "invalidRows">;

/** The outcome of decisions for a library. */
export interface LibraryOutcome {
  resolution: Resolution<number>;
  /** Problems outside the patterns. */
  problems: readonly LibraryProblem[];
  /** Edits outside the patterns. */
  edits: readonly Edit[];
  /** True if version 16 reads the result, as far as the findings show. */
  complete: boolean;
  /** Number of patterns that are removed. */
  quarantined: number;
  /** Number of values outside the patterns that are removed. */
  removed: number;
  /** Number of values that are changed. */
  changed: number;
}

/** Applies decisions to the findings; {@link repairedBytes} makes the document. */
export function decideLibrary(findings: LibraryFindings, decisions: LibraryDecisions): LibraryOutcome {
  const resolution = findings.invalid.resolve(decisions);
  const quarantines = decisions.invalidRows === "quarantine";
  const others = [
    contributionChanges(findings, resolution, decisions),
    metadataChanges(findings, quarantines ? resolution.unreadable : 0, quarantines),
  ];
  const replaced = others.flatMap((part) => part.edits);
  // A token leaves the document with the value that contains it.
  const isGone = (token: Range): boolean => replaced.some((edit) => contains(edit, token));
  const parts = [tokenChanges(findings.tokens, decisions, isGone), ...others];
  const problems = parts.flatMap((part) => part.problems);
  const edits = parts.flatMap((part) => part.edits);
  return {
    resolution,
    problems,
    edits,
    complete: problems.every(({ solved }) => solved) && (quarantines || resolution.unreadable === 0),
    quarantined: quarantines ? resolution.unreadable : 0,
    removed: others.reduce((sum, part) => sum + part.removed, 0),
    changed: resolution.changed + edits.length,
  };
}

/** Decisions that concern parts other than the patterns. */
export function concernsOf(findings: LibraryFindings): { nonFinite: boolean; patternIds: boolean } {
  const { problems } = decideLibrary(findings, { ...NO_DECISION, invalidRows: "abort" });
  return { nonFinite: findings.tokens.length > 0, patternIds: problems.some(({ code }) => ASSIGNED.has(code)) };
}

/** The decisions after which version 16 reads the library, with their outcomes; those that do the same only once. */
export function* completeOutcomes(
  findings: LibraryFindings,
): Generator<{ decisions: LibraryDecisions; outcome: LibraryOutcome }> {
  for (const others of relevantDecisions(findings.invalid, concernsOf(findings)))
    for (const invalidRows of ["abort", "quarantine"] as const) {
      const decisions = { ...others, invalidRows };
      const outcome = decideLibrary(findings, decisions);
      if (outcome.complete) yield { decisions, outcome };
      // Then nothing is left for quarantine.
      if (outcome.resolution.unreadable + outcome.problems.length === 0) break;
    }
}

const ASSIGNED: ReadonlySet<LibraryProblem["code"]> = new Set(["contribution", "contributing_agent"]);

function contains(outer: Range, { start, end }: Range): boolean {
  return outer.start <= start && end <= outer.end;
}

function tokenChanges(
  tokens: readonly OutsideToken[],
  { nonFinite }: PatternDecisions,
  isGone: (token: Range) => boolean,
): PartChanges {
  const changes: PartChanges = { problems: [], edits: [], removed: 0 };
  for (const { path, token, replaced, start, end } of tokens) {
    const gone = isGone({ start, end });
    const text = nonFinite === null || gone ? undefined : replacementOf(path, token, replaced, nonFinite);
    const pointer = path.reduce(pointerTo, "");
    changes.problems.push({ code: "non_finite", pointer, shown: token, solved: gone || text !== undefined });
    if (text !== undefined) changes.edits.push({ start, end, text });
  }
  return changes;
}

/** The text for a token outside the patterns; undefined if the decision does not help there. */
function replacementOf(
  [member, ...path]: readonly string[],
  token: string,
  replaced: boolean,
  nonFinite: "null" | "text",
): string | undefined {
  const text = nonFinite === "null" ? "null" : JSON.stringify(token);
  if (replaced) return text;
  if (member === "patterns" || (member === "metadata" && path[0] === "version")) return undefined;
  // Neither can be text.
  if (path.length === 0 && (member === "metadata" || member === "agent_contributions")) return "null";
  if (member !== "agent_contributions") return text;
  if (path.length === 1) return "[]";
  return nonFinite === "text" || path.length > 2 ? text : undefined;
}

function metadataChanges({ metadata, places }: LibraryFindings, removed: number, quarantines: boolean): PartChanges {
  const changes: PartChanges = { problems: [], edits: [], removed: 0 };
  if (metadata === undefined) return changes;
  const { value, start, end } = metadata;
  if (value === null || (typeof value === "number" && !Number.isFinite(value))) return changes;
  if (!isPlainObject(value)) {
    changes.problems.push({ code: "metadata_type", pointer: "/metadata", shown: "", solved: quarantines });
    if (quarantines) changes.edits.push({ start, end, text: "null" });
    changes.removed = quarantines ? 1 : 0;
    return changes;
  }
  const count = places.items.length;
  if (removed === 0 || value["pattern_count"] !== count) return changes;
  const place = metadata.places.findLast(({ path }) => path.length === 1 && path[0] === "pattern_count");
  if (place !== undefined) changes.edits.push({ start: place.start, end: place.end, text: String(count - removed) });
  return changes;
}

/** The document after all decisions. Bytes that no repair concerns are unchanged. */
export function repairedBytes(
  findings: LibraryFindings,
  { resolution, edits }: LibraryOutcome,
  decisions: LibraryDecisions,
): DocumentBytes {
  const { bytes, places } = findings;
  const isRemoved = new Uint8Array(places.items.length);
  const all = new Edits(edits);
  for (const item of resolution.items) {
    const { key } = item.invalid;
    if (item.readable) all.addAll(itemEdits(bytes, places.items.at(key) as Range, item, decisions));
    else isRemoved[key] = 1;
  }
  if (isRemoved.includes(1)) all.addAll(removals(places.items, (index) => isRemoved[index] === 1));
  return splicedBytes(bytes, all);
}

/** The edits that repair one pattern. */
export function itemEdits(
  bytes: DocumentBytes,
  item: Range,
  { repairs, problems }: Resolved<number>,
  decisions: PatternDecisions,
): Edit[] {
  if (repairs.length === 0) return [];
  const places = placesIn(bytes, item);
  const edits: Edit[] = [];
  const done = new Set<string>();
  const assigned = new Map(repairs.map(({ pointer, value }) => [pointer, value]));
  const tokens = new Set(problems.flatMap(({ code, pointer }) => (code === "non_finite" ? [pointer] : [])));
  for (const { path, token, start, end } of places) {
    const pointer = path.reduce(pointerTo, "");
    if (token === undefined || !tokens.has(pointer)) continue;
    const isText = effectUnder({ code: "non_finite", pointer }, decisions) === "text";
    const given = pointer === "/id" ? assigned.get(pointer) : undefined;
    edits.push({ start, end, text: JSON.stringify(given ?? (isText ? token : null)) });
    done.add(pointer);
  }
  for (const { field, pointer, value } of repairs) {
    if (done.has(pointer)) continue;
    const place = places.findLast(({ path }) => path.length === 1 && path[0] === field);
    const text = JSON.stringify(value);
    if (place !== undefined) edits.push({ start: place.start, end: place.end, text });
    else edits.push({ start: item.start + 1, end: item.start + 1, text: `${JSON.stringify(field)}: ${text}, ` });
  }
  return edits;
}
