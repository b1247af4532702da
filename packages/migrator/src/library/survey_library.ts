import { countText } from "@perdura/cli/quantities.js";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { decodeDocument } from "@perdura/internals/json/decode_document.js";
import { isPlainObject } from "@perdura/internals/json/values.js";
import { LibraryDocument } from "@perdura/internals/patterns/json_document.js";
import { readLibrary } from "@perdura/internals/patterns/json_load.js";
import { describe } from "@perdura/internals/text/describe.js";
import { TextTable } from "@perdura/internals/text/text_table.js";
import { LIBRARY_KINDS } from "@perdura/internals/validity/library_kinds.js";
import type { PatternChoice, UnusualRows } from "../core/report.ts";
import { Stop } from "../core/stop.ts";
import { choicesFor, pendingDecisions, ProblemCounter } from "../database/patterns/decisions_report.ts";
import { bytesOfFile, type DocumentBytes } from "../io/document_bytes.ts";
import {
  concernsOf,
  decideLibrary,
  type LibraryDecisions,
  type LibraryOutcome,
  repairedBytes,
} from "./decide_library.ts";
import { documentPlaces } from "./document_places.ts";
import { examineLibrary, type LibraryFindings } from "./examine_library.ts";
import { assertWholeText } from "./whole_text.ts";

/** Patterns of a JSON library that version 16 reads, and the treatment of the others. */
export interface LibrarySurvey {
  /** Number of all patterns of the document. */
  patterns: number;
  unusual: UnusualRows[];
  /** Combinations of decisions after which version 16 reads the library; the best was tried. */
  choices: PatternChoice[];
  notes: string[];
  steps: string[];
  /** The pending decisions, in a sentence; null if none is needed. */
  pending: string | null;
  /** The document after the decisions; undefined if nothing has to be changed, or a decision is missing. */
  repaired: DocumentBytes | undefined;
}

/**
 * Reads a pattern library in JSON by the rules of the lines, and applies decisions to what they do not read.
 *
 * @throws Stop for a document that is not a pattern library as a whole, and for one that no decision repairs.
 */
export function surveyLibrary(path: string, decisions: LibraryDecisions): LibrarySurvey {
  const document = new LibraryDocument({ newIds: () => new TextTable() });
  try {
    readLibrary(path, path, document);
    const { count } = document;
    const notes = notesOn(document.metadata, document.repeatsPatterns, count);
    return { patterns: count, unusual: [], choices: [], notes, steps: [], pending: null, repaired: undefined };
  } catch (error) {
    if (
      !isPerduraError(error) ||
      isPerduraError(error, "PERDURA_FILE_NOT_FOUND") ||
      isPerduraError(error, "PERDURA_STORAGE")
    )
      throw refusalOf(error);
    return judged(findingsOf(path, error), path, decisions, error);
  }
}

/** @throws Stop for a document that no decision repairs. */
function findingsOf(path: string, error: unknown): LibraryFindings {
  const bytes = bytesOfFile(path);
  const places = documentPlaces(bytes);
  assertWholeText(bytes, path, places);
  if (places.patterns === undefined) throw refusalOf(error);
  return examineLibrary(bytes, places);
}

function refusalOf(error: unknown, correct = ""): unknown {
  return isPerduraError(error)
    ? new Stop("refused", `Version 16 cannot read the library: ${error.message}${correct}`)
    : error;
}

const BY_HAND = " No option repairs this. Nothing was changed. Correct it in the file, or restore a backup.";

function judged(findings: LibraryFindings, path: string, decisions: LibraryDecisions, error: unknown): LibrarySurvey {
  const { invalid, places, metadata } = findings;
  const outcome = decideLibrary(findings, decisions);
  const choices = choicesFor(
    invalid,
    (others, quarantines) => decideLibrary(findings, { ...others, invalidRows: quarantines ? "quarantine" : "abort" }),
    concernsOf(findings),
  );
  const [best] = choices;
  const patterns = places.items.length;
  const unusual = reportsOf(outcome, decisions);
  const base = {
    patterns,
    unusual,
    notes: notesOn(metadata?.value, places.members.filter(({ name }) => name === "patterns").length > 1, patterns),
  };
  // What a decision repairs hides no other fault: the result is read as 16 reads it.
  if (best === undefined) throw refusalOf(faultWithout(path, outcome) ?? error, BY_HAND);
  if (!outcome.complete) {
    tried(findings, path, decisionsOf(best));
    return {
      ...base,
      choices,
      steps: stepsOf(outcome),
      pending: pendingDecisions(unusual, choices),
      repaired: undefined,
    };
  }
  return { ...base, choices, steps: stepsOf(outcome), pending: null, repaired: tried(findings, path, decisions) };
}

function decisionsOf({
  non_finite: nonFinite,
  timestamps,
  pattern_ids: patternIds,
  invalid_rows: invalidRows,
}: PatternChoice): LibraryDecisions {
  return { nonFinite, timestamps, patternIds, invalidRows };
}

/** The repaired document, after version 16 has read it. */
function tried(findings: LibraryFindings, path: string, decisions: LibraryDecisions): DocumentBytes {
  const outcome = decideLibrary(findings, decisions);
  const text = repairedBytes(findings, outcome, decisions);
  try {
    assertReadable(text, path, findings.places.items.length - outcome.resolution.unreadable);
  } catch (error) {
    throw refusalOf(error, BY_HAND);
  }
  return text;
}

/** Reads the new text as version 16 does. */
function assertReadable(bytes: DocumentBytes, path: string, patterns: number): void {
  const document = new LibraryDocument({ newIds: () => new TextTable() });
  decodeDocument((place, position) => bytes.read(place, position), path, document);
  document.library(path);
  const { count } = document;
  if (count !== patterns)
    throw new Error(`${path}: the repaired text has ${count} readable patterns, expected ${patterns}.`);
}

/** A sentence about the first problem that no decision solves. */
function faultWithout(path: string, { problems }: LibraryOutcome): Stop | undefined {
  const open = problems.find(({ code, solved }) => code === "non_finite" && !solved);
  return open === undefined
    ? undefined
    : new Stop(
        "refused",
        `Version 16 cannot read the library: ${path}: ${open.pointer}: the token ${open.shown} is not JSON.${BY_HAND}`,
      );
}

function stepsOf({ resolution, edits, quarantined, complete }: LibraryOutcome): string[] {
  let repaired = 0;
  for (const { readable, repairs } of resolution.items) if (readable && repairs.length > 0) repaired += 1;
  return [
    ...(repaired > 0 ? [`repair ${countText(repaired, "pattern")}`] : []),
    ...(edits.length > 0 && complete ? [`change ${countText(edits.length, "value")} outside the patterns`] : []),
    ...(quarantined > 0 ? [`remove ${countText(quarantined, "invalid pattern")}; the backup has the whole file`] : []),
  ];
}

function reportsOf({ resolution, problems }: LibraryOutcome, decisions: LibraryDecisions): UnusualRows[] {
  const counter = new ProblemCounter(decisions);
  for (const { invalid, problems: found, readable } of resolution.items)
    counter.addPattern(found, invalid.shownId, ({ pointer }) => `/patterns/${invalid.key}${pointer}`, readable);
  for (const { code, pointer, shown, solved } of problems) {
    const { text, nonFiniteNull, nonFiniteText, ids, quarantine } = LIBRARY_KINDS[code];
    const ways = [
      { option: "--non-finite null", result: nonFiniteNull },
      { option: "--non-finite text", result: nonFiniteText },
      { option: "--pattern-ids assign", result: ids },
      { option: "--invalid-rows quarantine", result: quarantine },
    ].flatMap(({ option, result }) => (result === null ? [] : [{ option, result }]));
    const decision = nonFiniteNull !== null ? ("nonFinite" as const) : ids !== null ? ("patternIds" as const) : null;
    const decided = [
      decisions.nonFinite === "null" ? nonFiniteNull : decisions.nonFinite === "text" ? nonFiniteText : null,
      decisions.patternIds === null ? null : ids,
      decisions.invalidRows === "quarantine" ? quarantine : null,
    ].find((result) => result !== null);
    counter.add(
      { kind: `library_${code}`, description: text, decision, ways, ...(decided ? { repair: decided } : {}) },
      { id: pointer, place: pointer, shown: shown === "" ? undefined : shown, blocks: !solved },
    );
  }
  return counter.reports();
}

function notesOn(metadata: unknown, repeatsPatterns: boolean, patterns: number): string[] {
  const count = isPlainObject(metadata) ? metadata["pattern_count"] : undefined;
  return [
    ...(repeatsPatterns ? ["the key patterns occurs more than once; only the last is read"] : []),
    ...(count === undefined || count === null || count === patterns
      ? []
      : [`its pattern_count is ${describe(count)}, but it has ${countText(patterns, "pattern")}`]),
  ];
}
