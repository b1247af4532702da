import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { parseJsonText } from "@perdura/internals/json/decode.js";
import type { NonFinite } from "@perdura/internals/json/load_options.js";
import { jsonObjectText } from "@perdura/internals/json/object_text.js";
import { isPlainObject, type JsonObject } from "@perdura/internals/json/values.js";
import { type Pattern, PATTERN_FIELDS } from "@perdura/internals/patterns/pattern.js";
import { RowFault, type StoredRow } from "@perdura/internals/patterns/stored_pattern.js";
import { isTimestamp } from "@perdura/internals/text/timestamps.js";
import type { Settings, TimestampRepair } from "../../core/options.ts";

/** The decisions about patterns. */
export type PatternDecisions = Pick<Settings, "nonFinite" | "timestamps">;

/** A value that was changed so that version 16 reads it. */
export interface RepairedValue {
  column: string;
  value: string;
}

/** Findings about a row that version 16 does not read. */
interface RowDiagnosis {
  kinds: PatternKind[];
  /** True if the decisions make it a valid pattern. */
  readable: boolean;
  /** Its id after the repair. */
  id: string | undefined;
  repaired: RepairedValue[];
}

/** Index of a field in a {@link StoredRow}. */
const columnOf = (field: string): number => PATTERN_FIELDS.indexOf(field as keyof Pattern) + 1;

/**
 * Finds all faults that make a row an invalid pattern. Repairs that a decision could request are applied temporarily,
 * to find further faults.
 *
 * @param readRow Reads a row by the rules of the lines.
 */
export function diagnoseRow(
  row: StoredRow,
  fault: RowFault,
  readRow: (row: StoredRow) => Pattern | RowFault,
  decisions: PatternDecisions,
): RowDiagnosis {
  const tried: StoredRow = [...row];
  const found: RowDiagnosis = { kinds: [], readable: true, id: undefined, repaired: [] };
  let reading: Pattern | RowFault = fault;
  // Each iteration repairs a field that was not repaired before, or is the last.
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
  /** True if a decision requests this repair. */
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
    const unusual = convertTimestamp(value, timestamps ?? "drop-zone");
    if (unusual?.repaired !== undefined)
      return {
        kind: timestampKind(unusual.fault, column),
        decided: timestamps !== null,
        column,
        value: unusual.repaired,
      };
  }
  return { kind: invalidKind(column), decided: false };
}

/** The text with NaN, Infinity and -Infinity replaced as requested; undefined if it is invalid for another reason. */
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

/** One kind of invalid patterns. */
export interface PatternKind {
  /** Stable name. */
  kind: string;
  description: string;
  /** The decision that repairs such a pattern; null without one. */
  decision: "nonFinite" | "timestamps" | null;
  /** The field whose value is shown. */
  field: string;
}

/** Tokens that Python's json module writes (ruling U-nonfinite). */
export const nonFiniteKind = (field: string): PatternKind => ({
  kind: "pattern_non_finite",
  description: "NaN or Infinity in the context or the tags",
  decision: "nonFinite",
  field,
});

/** Reason why a timestamp does not have the form of section 2.1, although it can be converted. */
type TimestampFault = "with_zone" | "a_number" | "a_date_alone" | "without_seconds";

const TIMESTAMP_FAULTS: Record<TimestampFault, string> = {
  with_zone: "a timestamp has a time zone",
  a_number: "a timestamp is a number",
  a_date_alone: "a timestamp is a date without a time",
  without_seconds: "a timestamp has no seconds",
};

export const timestampKind = (fault: TimestampFault, field: string): PatternKind => ({
  kind: `pattern_timestamp_${fault}`,
  description: TIMESTAMP_FAULTS[fault],
  decision: "timestamps",
  field,
});

export const duplicateKind: PatternKind = {
  kind: "pattern_id_twice",
  description: "an earlier pattern has the same id",
  decision: null,
  field: "id",
};

const notUtf8Kind = (field: string): PatternKind => ({
  kind: "pattern_text_not_utf8",
  description: "text is not valid UTF-8",
  decision: null,
  field,
});

export const invalidKind = (field: string): PatternKind => ({
  kind: `pattern_${field}_invalid`,
  description: `the ${field} is invalid`,
  decision: null,
  field,
});

/** Tokens that are not JSON outside of the patterns of a document. */
export const documentNonFiniteKind: PatternKind = {
  kind: "library_non_finite",
  description: "NaN or Infinity in the document, outside the patterns",
  decision: "nonFinite",
  field: "",
};

/** A timestamp that can be converted. */
interface ConvertibleTimestamp {
  fault: TimestampFault;
  /** The converted timestamp; undefined if it would be outside of the calendar. */
  repaired: string | undefined;
}

const TIMESTAMP_FORMAT =
  /^(?<date>\d{4}-\d\d-\d\d)(?:[T ](?<time>\d\d:\d\d)(?<seconds>:\d\d(?:\.\d{1,6})?)?)? ?(?<zone>z|utc|gmt|[+-]\d\d(?::?\d\d(?::?\d\d)?)?)?$/i;

/**
 * Converts a timestamp of a field program to the form of specification section 2.1, digit for digit.
 *
 * - a zone is left out (`drop-zone`), or the time is converted to UTC (`utc`);
 * - a number counts the seconds since 1970 in UTC, or the milliseconds if it is that large;
 * - a date alone means its midnight, and missing seconds are 0.
 *
 * @returns Undefined for any other value.
 */
export function convertTimestamp(value: unknown, repair: TimestampRepair): ConvertibleTimestamp | undefined {
  const counted = fromEpoch(value);
  if (counted !== undefined) return { fault: "a_number", repaired: counted };
  const { date, time, seconds, zone } =
    (typeof value === "string" ? TIMESTAMP_FORMAT.exec(value)?.groups : undefined) ?? {};
  if (date === undefined || (zone !== undefined && time === undefined)) return undefined;
  const local = `${date}T${time ?? "00:00"}${seconds ?? ":00"}`;
  if (!isTimestamp(local)) return undefined;
  const fault = zone !== undefined ? "with_zone" : time === undefined ? "a_date_alone" : "without_seconds";
  const repaired = repair === "utc" && zone !== undefined ? shifted(local, -secondsOf(zone)) : local;
  return { fault, repaired };
}

/** First second after the year 9999: a number from here on counts milliseconds. */
const LAST_SECOND = 253_402_300_800;

/** Programs wrote `time.time()` as a number, and as its text. */
function fromEpoch(value: unknown): string | undefined {
  const text = typeof value === "number" ? plainText(value) : typeof value === "string" ? value : "";
  const [, whole, fraction = ""] = /^(\d{9,15})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const isMilliseconds = Number(whole) >= LAST_SECOND;
  const seconds = isMilliseconds ? whole.slice(0, -3) : whole;
  // Further digits are rounding errors of a double.
  const digits = `${isMilliseconds ? whole.slice(-3) : ""}${fraction}`.slice(0, 6).replace(/0+$/, "");
  const moment = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return digits === "" ? moment : `${moment}.${digits}`;
}

/** A number without an exponent. */
const plainText = (value: number): string => (Math.abs(value) < 1e21 ? String(value) : "");

/** The offset of a zone from UTC, in seconds. */
function secondsOf(zone: string): number {
  const [, sign, hours, minutes = "0", seconds = "0"] = /^([+-])(\d\d):?(\d\d)?:?(\d\d)?$/.exec(zone) ?? [];
  if (hours === undefined) return 0;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}

/** The time some seconds later, with unchanged digits after the point. */
function shifted(local: string, seconds: number): string | undefined {
  const moment = new Date(`${local.slice(0, 19)}Z`).getTime() + seconds * 1000;
  const text = `${new Date(moment).toISOString().slice(0, 19)}${local.slice(19)}`;
  return isTimestamp(text) ? text : undefined;
}
