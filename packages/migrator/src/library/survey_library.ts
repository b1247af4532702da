import { countText } from "@perdura/cli/quantities.js";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { readWhole } from "@perdura/internals/files/read_bytes.js";
import { decodeJson } from "@perdura/internals/json/decode.js";
import { decodeDocument } from "@perdura/internals/json/decode_document.js";
import { stringifyExact } from "@perdura/internals/json/exact_numbers.js";
import type { DocumentFault } from "@perdura/internals/json/schema_faults.js";
import { isPlainObject } from "@perdura/internals/json/values.js";
import { patternFault } from "@perdura/internals/patterns/check_pattern.js";
import { LibraryDocument } from "@perdura/internals/patterns/json_document.js";
import { readLibrary } from "@perdura/internals/patterns/json_load.js";
import { type Pattern, PATTERN_FIELDS } from "@perdura/internals/patterns/pattern.js";
import { roundTypedNumbers } from "@perdura/internals/patterns/received_patterns.js";
import { describe } from "@perdura/internals/text/describe.js";
import type { HasSettings } from "../core/options.ts";
import type { UnusualRows } from "../core/report.ts";
import { Stop } from "../core/stop.ts";
import {
  duplicateKind,
  invalidKind,
  nonFiniteKind,
  convertTimestamp,
  documentNonFiniteKind,
  type PatternDecisions,
  type PatternKind,
  timestampKind,
} from "../database/patterns/invalid_patterns.ts";
import { InvalidPatternCounter } from "../database/patterns/survey_patterns.ts";
import { backupsOf, existing } from "../io/copy_database.ts";

/** Patterns of a JSON library that version 16 reads, and the treatment of the others. */
export interface LibrarySurvey {
  /** Number of all patterns of the document. */
  patterns: number;
  unusual: UnusualRows[];
  /** Indexes of the patterns that stay unreadable. */
  unreadable: Set<number>;
  /** Fields that the decisions repair, keyed by the index of the pattern. */
  repaired: Map<number, { [field: string]: string }>;
  /** True if any part of the document has tokens that are not JSON. */
  nonFinite: boolean;
  notes: string[];
}

/**
 * Reads a pattern library in JSON by the rules of the lines, in pieces.
 *
 * @throws Stop for a document that is not a pattern library as a whole.
 */
export function surveyLibrary(path: string, decisions: PatternDecisions): LibrarySurvey {
  try {
    return survey(path, decisions, false);
  } catch (error) {
    if (!isPerduraError(error, "PERDURA_JSON_DECODE")) throw refusalOf(error);
    try {
      return survey(path, decisions, true);
    } catch {
      throw refusalOf(error);
    }
  }
}

function refusalOf(error: unknown): unknown {
  return isPerduraError(error) ? new Stop("refused", `Version 16 cannot read the library: ${error.message}`) : error;
}

/** @param outside True if tokens that are not JSON also occur outside of the patterns. */
function survey(path: string, decisions: PatternDecisions, outside: boolean): LibrarySurvey {
  const unusual = new InvalidPatternCounter();
  const found: LibrarySurvey = {
    patterns: 0,
    unusual: [],
    unreadable: new Set(),
    repaired: new Map(),
    nonFinite: outside,
    notes: [],
  };
  const ids = new Set<string>();
  // Reads tokens as decided, because this determines their type: a string is not a number.
  const tokens = decisions.nonFinite ?? "null";
  const document = new LibraryDocument({
    nonFinite: outside ? tokens : undefined,
    itemTokens: tokens,
    toKeep: ({ id }) => ({ id }) as Pattern,
    ids,
    onFault: (index, value, fault) => {
      const item = diagnoseItem(value, fault, decisions);
      if (item.id !== undefined && ids.has(item.id)) {
        if (!item.kinds.includes(duplicateKind)) item.kinds.push(duplicateKind);
        item.readable = false;
      }
      unusual.add(item.kinds, idOf(value), (field) => shown(value, field), item.readable);
      found.nonFinite ||= fault.nonFinite === true;
      if (!item.readable) found.unreadable.add(index);
      else {
        if (item.id !== undefined) ids.add(item.id);
        found.repaired.set(index, item.repaired);
      }
    },
  });
  const { size } = readLibrary(path, path, document);
  if (outside) unusual.add([documentNonFiniteKind], path, () => "NaN", decisions.nonFinite !== null);
  const patterns = size + found.unreadable.size + found.repaired.size;
  return { ...found, patterns, unusual: unusual.reports(), notes: notesOn(document, patterns) };
}

interface ItemDiagnosis {
  kinds: PatternKind[];
  readable: boolean;
  id: string | undefined;
  repaired: { [field: string]: string };
}

/** Finds all faults that make a pattern invalid, as the survey of rows does. */
function diagnoseItem(
  value: unknown,
  fault: DocumentFault,
  { nonFinite, timestamps }: PatternDecisions,
): ItemDiagnosis {
  const item: ItemDiagnosis = { kinds: [], readable: true, id: undefined, repaired: {} };
  if (fault.nonFinite === true) {
    item.kinds.push(nonFiniteKind("context"));
    item.readable = nonFinite !== null;
  }
  const tried = isPlainObject(value) ? { ...value } : value;
  roundTypedNumbers(tried);
  for (let turn = 0; turn <= PATTERN_FIELDS.length; turn += 1) {
    const left = patternFault(tried);
    if (left === undefined) break;
    const field = left.pointer.split("/")[1] ?? "id";
    const isTimestamp = field === "discovered_at" || field === "last_used";
    const unusual =
      isTimestamp && isPlainObject(tried) ? convertTimestamp(tried[field], timestamps ?? "drop-zone") : undefined;
    if (unusual?.repaired === undefined) {
      item.kinds.push(invalidKind(field));
      return { ...item, readable: false };
    }
    item.kinds.push(timestampKind(unusual.fault, field));
    if (timestamps === null) item.readable = false;
    item.repaired[field] = unusual.repaired;
    (tried as { [field: string]: unknown })[field] = unusual.repaired;
  }
  if (item.kinds.length === 0) return { ...item, kinds: [duplicateKind], readable: false };
  return { ...item, id: (tried as { id: string }).id };
}

function shown(value: unknown, field: string): string | undefined {
  const held = isPlainObject(value) ? value[field] : value;
  return isPlainObject(held) ? undefined : describe(held);
}

function idOf(value: unknown): string {
  const id = isPlainObject(value) ? value["id"] : undefined;
  return typeof id === "string" ? id : describe(id);
}

function notesOn(document: LibraryDocument, patterns: number): string[] {
  const { metadata, repeatsPatterns } = document;
  const count = isPlainObject(metadata) ? metadata["pattern_count"] : undefined;
  return [
    ...(repeatsPatterns ? ["the key patterns occurs more than once; only the last is read"] : []),
    ...(count === undefined || count === null || count === patterns
      ? []
      : [`its pattern_count is ${describe(count)}, but it has ${countText(patterns, "pattern")}`]),
  ];
}

/**
 * Makes the text of a library that version 16 reads: repairs what the decisions cover, leaves out patterns that stay
 * unreadable, and keeps all other parts of the document unchanged, including members that neither line reads.
 *
 * @param path Names the document in errors.
 * @throws ValidationError if it is too large for one string.
 */
export function repairedText(
  bytes: Uint8Array,
  path: string,
  { unreadable, repaired, patterns }: LibrarySurvey,
  { nonFinite }: PatternDecisions,
): string {
  const document = decodeJson(bytes, path, nonFinite ?? "null") as { [key: string]: unknown };
  const kept = (document["patterns"] as unknown[]).flatMap((pattern, index) => {
    if (unreadable.has(index)) return [];
    const fields = repaired.get(index);
    return [fields === undefined ? pattern : { ...(pattern as object), ...fields }];
  });
  document["patterns"] = kept;
  const { metadata } = document;
  if (isPlainObject(metadata) && metadata["pattern_count"] === patterns) metadata["pattern_count"] = kept.length;
  const text = `${stringifyExact(document, 2)}\n`;
  assertReadable(text, path, kept.length);
  return text;
}

/** Reads the new text as version 16 does. */
function assertReadable(text: string, path: string, patterns: number): void {
  const bytes = Buffer.from(text);
  const document = new LibraryDocument();
  decodeDocument((place, position) => bytes.copy(place, 0, position), path, document);
  const { size } = document.library(path);
  if (size !== patterns)
    throw new Error(`${path}: the repaired text has ${size} readable patterns, expected ${patterns}.`);
}

/** State of a library, compared with its newest backup. */
type LibraryState =
  /** Equal to the repaired backup. */
  | "repaired"
  /** Equal to the backup. */
  | "original"
  /** A program has saved it since the migration. */
  | "saved_since";

const DECISIONS: readonly PatternDecisions[] = ([null, "null", "text"] as const).flatMap((nonFinite) =>
  ([null, "drop-zone", "utc"] as const).map((timestamps) => ({ nonFinite, timestamps })),
);

/** The newest backup of a library, or the one that a report names; undefined without one. */
export function backupOfLibrary(path: string, { settings }: HasSettings, reported?: string): string | undefined {
  return backupsOf(path, settings.backupDir).at(-1) ?? existing(reported);
}

/** Determines the state from the bytes alone: the repair of a backup depends only on the decisions. */
export function stateOf(path: string, backup: string): LibraryState {
  const [now, original] = [readWhole(path), readWhole(backup)];
  if (now.equals(original)) return "original";
  const isRepair = DECISIONS.some((decisions) =>
    Buffer.from(repairedText(original, backup, surveyLibrary(backup, decisions), decisions)).equals(now),
  );
  return isRepair ? "repaired" : "saved_since";
}
