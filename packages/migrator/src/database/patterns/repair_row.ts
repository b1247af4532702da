import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { parseJsonText } from "@perdura/internals/json/decode.js";
import { jsonObjectText } from "@perdura/internals/json/object_text.js";
import type { NonFinite } from "@perdura/internals/json/load_options.js";
import { isPlainObject, type JsonObject } from "@perdura/internals/json/values.js";
import { PATTERN_FIELDS, type Pattern } from "@perdura/internals/patterns/pattern.js";
import { RowFault, type StoredRow } from "@perdura/internals/patterns/stored_pattern.js";
import type { Settings } from "../../core/options.ts";
import {
  duplicateKind,
  invalidKind,
  nonFiniteKind,
  notUtf8Kind,
  type PatternKind,
  timestampKind,
  oddTimestamp,
} from "./kinds.ts";

/** The decisions about patterns. */
export type PatternDecisions = Pick<Settings, "nonFinite" | "timestamps">;

/** A value that was changed so that version 16 reads it. */
export interface RepairedValue {
  column: string;
  value: string;
}

/** What was found in a row that version 16 does not read. */
interface OddRow {
  kinds: PatternKind[];
  /** True where the decisions make a pattern of it. */
  readable: boolean;
  /** Its id once it is repaired. */
  id: string | undefined;
  repaired: RepairedValue[];
}

/** Place of a field in a {@link StoredRow}. */
const columnOf = (field: string): number => PATTERN_FIELDS.indexOf(field as keyof Pattern) + 1;

/**
 * Looks for everything that keeps a row from being a pattern. What a decision could repair is repaired for the look, so
 * that what is wrong beside it is found as well.
 *
 * @param readRow Reads a row by the rules of the lines.
 */
export function oddRow(
  row: StoredRow,
  fault: RowFault,
  readRow: (row: StoredRow) => Pattern | RowFault,
  decisions: PatternDecisions,
): OddRow {
  const tried: StoredRow = [...row];
  const found: OddRow = { kinds: [], readable: true, id: undefined, repaired: [] };
  let reading: Pattern | RowFault = fault;
  // Each turn repairs one field that was not repaired before, or is the last.
  for (let turn = 0; turn <= PATTERN_FIELDS.length && reading instanceof RowFault; turn += 1) {
    const repair: Repair = repairOf(tried, reading, decisions);
    found.kinds.push(repair.kind);
    if (!repair.decided) found.readable = false;
    if (repair.column === undefined || repair.value === undefined) return { ...found, readable: false };
    tried[columnOf(repair.column)] = repair.value;
    found.repaired.push({ column: repair.column, value: repair.value });
    reading = readRow(tried);
  }
  return reading instanceof RowFault ? { ...found, readable: false } : { ...found, id: reading.id };
}

interface Repair {
  kind: PatternKind;
  /** True where a decision asks for this repair. */
  decided: boolean;
  column?: string;
  value?: string;
}

function repairOf(row: StoredRow, fault: RowFault, { nonFinite: tokens, timestamps }: PatternDecisions): Repair {
  const column = fault.at?.split("/")[0] ?? "id";
  const value = row[columnOf(column)];
  if (fault.kind === "duplicate") return { kind: duplicateKind, decided: false };
  if (fault.kind === "encoding") return { kind: notUtf8Kind(column), decided: false };
  if (column === "context" || column === "tags") {
    const text = withoutTokens(value, column, tokens ?? "null");
    if (text !== undefined) return { kind: nonFiniteKind(column), decided: tokens !== null, column, value: text };
  }
  if (column === "discovered_at" || column === "last_used") {
    const odd = oddTimestamp(value, timestamps ?? "drop-zone");
    if (odd?.repaired !== undefined)
      return { kind: timestampKind(odd.fault, column), decided: timestamps !== null, column, value: odd.repaired };
  }
  return { kind: invalidKind(column), decided: false };
}

/** The text with NaN, Infinity and -Infinity read as asked; undefined where that is not what keeps it from being JSON. */
function withoutTokens(value: unknown, column: string, tokens: NonFinite): string | undefined {
  if (typeof value !== "string" || parsed(value, undefined) !== undefined) return undefined;
  const read = parsed(value, tokens);
  if (read === undefined) return undefined;
  return isPlainObject(read.value) ? jsonObjectText(read.value as JsonObject, column) : JSON.stringify(read.value);
}

function parsed(text: string, nonFinite: NonFinite | undefined): { value: unknown } | undefined {
  try {
    return { value: parseJsonText(text, () => "", nonFinite) };
  } catch (error) {
    if (isPerduraError(error)) return undefined;
    throw error;
  }
}
