import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { isPlainObject } from "@perdura/internals/json/values.js";
import type { DocumentFault } from "@perdura/internals/json/schema_faults.js";
import { patternFault } from "@perdura/internals/patterns/check_pattern.js";
import { LibraryDocument } from "@perdura/internals/patterns/json_document.js";
import { readLibrary } from "@perdura/internals/patterns/json_load.js";
import { PATTERN_FIELDS, type Pattern } from "@perdura/internals/patterns/pattern.js";
import { roundTypedNumbers } from "@perdura/internals/patterns/received_patterns.js";
import { countText } from "@perdura/cli/quantities.js";
import { describe } from "@perdura/internals/text/describe.js";
import {
  duplicateKind,
  invalidKind,
  nonFiniteKind,
  outsideKind,
  type PatternKind,
  timestampKind,
  oddTimestamp,
} from "../database/patterns/kinds.ts";
import { OddPatterns } from "../database/patterns/survey_patterns.ts";
import type { PatternDecisions } from "../database/patterns/repair_row.ts";
import type { OddRows } from "../core/report.ts";
import { Stop } from "../core/stop.ts";

/** What version 16 reads of a pattern library in JSON, and what becomes of the rest. */
export interface LibrarySurvey {
  /** All patterns of the document. */
  patterns: number;
  odd: OddRows[];
  /** Patterns that stay unreadable, by their index. */
  unreadable: Set<number>;
  /** Fields that the decisions bring into form, by the index of the pattern. */
  repaired: Map<number, { [field: string]: string }>;
  /** True where tokens that are not JSON stand anywhere. */
  nonFinite: boolean;
  notes: string[];
}

/**
 * Reads a pattern library in JSON by the rules of the lines, a piece at a time.
 *
 * @throws Stop for a document that is no pattern library as a whole.
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
  return isPerduraError(error) ? new Stop("refused", `Version 16 cannot read it: ${error.message}`) : error;
}

/** @param outside Whether tokens that are not JSON stand outside of the patterns as well. */
function survey(path: string, decisions: PatternDecisions, outside: boolean): LibrarySurvey {
  const odd = new OddPatterns();
  const found: LibrarySurvey = {
    patterns: 0,
    odd: [],
    unreadable: new Set(),
    repaired: new Map(),
    nonFinite: outside,
    notes: [],
  };
  const ids = new Set<string>();
  // As they will be read where that is decided: text is no number.
  const tokens = decisions.nonFinite ?? "null";
  const document = new LibraryDocument({
    nonFinite: outside ? tokens : undefined,
    itemTokens: tokens,
    toKeep: ({ id }) => ({ id }) as Pattern,
    ids,
    onFault: (index, value, fault) => {
      const item = oddItem(value, fault, decisions);
      if (item.id !== undefined && ids.has(item.id)) {
        if (!item.kinds.includes(duplicateKind)) item.kinds.push(duplicateKind);
        item.readable = false;
      }
      odd.add(item.kinds, idOf(value), (field) => shown(value, field), item.readable);
      found.nonFinite ||= fault.nonFinite === true;
      if (!item.readable) found.unreadable.add(index);
      else {
        if (item.id !== undefined) ids.add(item.id);
        found.repaired.set(index, item.repaired);
      }
    },
  });
  const { size } = readLibrary(path, path, document);
  if (outside) odd.add([outsideKind], path, () => "NaN", decisions.nonFinite !== null);
  const patterns = size + found.unreadable.size + found.repaired.size;
  return { ...found, patterns, odd: odd.reports(), notes: notesOn(document, patterns) };
}

interface OddItem {
  kinds: PatternKind[];
  readable: boolean;
  id: string | undefined;
  repaired: { [field: string]: string };
}

/** Looks for everything that keeps an item from being a pattern, as it is done with rows. */
function oddItem(value: unknown, fault: DocumentFault, { nonFinite, timestamps }: PatternDecisions): OddItem {
  const item: OddItem = { kinds: [], readable: true, id: undefined, repaired: {} };
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
    const odd = isTimestamp && isPlainObject(tried) ? oddTimestamp(tried[field], timestamps ?? "drop-zone") : undefined;
    if (odd?.repaired === undefined) {
      item.kinds.push(invalidKind(field));
      return { ...item, readable: false };
    }
    item.kinds.push(timestampKind(odd.fault, field));
    if (timestamps === null) item.readable = false;
    item.repaired[field] = odd.repaired;
    (tried as { [field: string]: unknown })[field] = odd.repaired;
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
    ...(repeatsPatterns ? ["the key patterns stands in it more than once: only the last is read"] : []),
    ...(count === undefined || count === null || count === patterns
      ? []
      : [`it says of itself that it has ${describe(count)} patterns, and has ${countText(patterns, "pattern")}`]),
  ];
}
