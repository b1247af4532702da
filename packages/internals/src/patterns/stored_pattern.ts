import { CorruptDataError, JSONDecodeError } from "../errors/errors.ts";
import { parseJsonText } from "../json/decode.ts";
import { parseTogether } from "../json/parse_together.ts";
import type { NonFinite } from "../json/load_options.ts";
import { JsonSyntaxFault } from "../json/strict_parser.ts";
import { describe, quote, shownPointer } from "../text/describe.ts";
import { patternFault } from "./check_pattern.ts";
import type { InvalidPattern } from "./invalid_patterns.ts";
import { hasOrdinaryFields, isTextOrNull } from "./ordinary_pattern.ts";
import { type PatternProblem, tokenProblems } from "../validity/pattern_problems.ts";
import { completePattern, type Pattern, type PatternInput } from "./pattern.ts";
import { PATTERN_FIELDS } from "../validity/pattern_fields.ts";

/**
 * Identifies a row (by its rowid, or by its id in a table without rowids), followed by the values of
 * {@link PATTERN_FIELDS}.
 */
export type StoredRow = [place: unknown, ...values: unknown[]];

/** The fault of a row that is not a valid pattern. */
export class RowFault {
  readonly at: string | undefined;
  readonly reason: string;
  readonly cause: unknown;
  /** Kind of a fault that the value alone does not show; undefined for all other faults. */
  readonly kind: "duplicate" | "encoding" | undefined;

  /**
   * @param at The invalid column, or a place in it (`tags/0`); undefined if the fault does not concern exactly one
   * column.
   */
  constructor(at: string | undefined, reason: string, details: Partial<Pick<RowFault, "cause" | "kind">> = {}) {
    this.at = at;
    this.kind = details.kind;
    this.reason = reason;
    this.cause = details.cause;
  }
}

/** Names a row in messages. */
function placeOf([place]: StoredRow): string {
  return `row ${typeof place === "string" ? quote(place) : String(place)}`;
}

/** Describes a row that is not a pattern, for `onInvalid`. */
export function invalidRow(row: StoredRow, { at, reason }: RowFault, path: string): InvalidPattern {
  const [, id] = row;
  return { path, place: placeOf(row), id: typeof id === "string" ? id : undefined, field: at?.split("/")[0], reason };
}

/** The error of a load without `onInvalid`, which fails for one invalid row. */
export function corruptRow(row: StoredRow, { at, reason, cause }: RowFault, path: string): CorruptDataError {
  const where = at === undefined ? "" : `${shownPointer(at)}: `;
  return corrupt(`table "patterns", ${placeOf(row)}: ${where}${reason}`, path, cause);
}

/** A row as an object, with the values of {@link PATTERN_FIELDS} in their order. */
export type PatternRow = Record<(typeof PATTERN_FIELDS)[number], unknown>;

/**
 * Replaces the JSON text of many rows by its values.
 *
 * @returns False if the columns must be read row by row; the rows are unchanged then.
 */
export function readJsonColumns(rows: readonly PatternRow[]): boolean {
  const texts: string[] = [];
  for (const { context, tags } of rows) {
    if (!isTextOrNull(context) || !isTextOrNull(tags)) return false;
    texts.push(context ?? "null", tags ?? "null");
  }
  const values = parseTogether(texts);
  if (values === undefined) return false;
  for (const [index, row] of rows.entries()) {
    row.context = values[2 * index];
    row.tags = values[2 * index + 1];
  }
  return true;
}

/** Places of the JSON columns in a {@link StoredRow}. */
const [CONTEXT, TAGS] = [6, 12];

/**
 * Converts a row of the table `patterns` to a pattern, or returns its fault.
 *
 * @param hasValues True if {@link readJsonColumns} has read its JSON columns.
 */
export function readStoredPattern(row: StoredRow, nonFinite?: NonFinite, hasValues = false): Pattern | RowFault {
  const context = hasValues ? row[CONTEXT] : readJsonColumn(row[CONTEXT], "context", nonFinite);
  const tags = hasValues ? row[TAGS] : readJsonColumn(row[TAGS], "tags", nonFinite);
  if (context instanceof RowFault) return context;
  if (tags instanceof RowFault) return tags;
  // An integer above 2^53 is read as a rounded double, which is still too large for the schema.
  const input = {
    id: row[1],
    agent_id: row[2],
    pattern_type: row[3],
    name: row[4],
    description: row[5],
    context,
    code: row[7],
    confidence: row[8],
    usage_count: row[9],
    success_count: row[10],
    failure_count: row[11],
    tags,
    discovered_at: row[13],
    last_used: row[14],
  };
  if (hasOrdinaryFields(input as Pattern)) return input as Pattern;
  const pattern = completePattern(input as PatternInput);
  const fault = patternFault(pattern);
  if (fault === undefined) return pattern;
  return new RowFault(fault.pointer.slice(1), fault.reason);
}

function readJsonColumn(text: unknown, column: "context" | "tags", nonFinite: NonFinite | undefined): unknown {
  if (text === null) return null;
  if (typeof text !== "string") return new RowFault(column, `expected JSON text, got ${describe(text)}`);
  try {
    return parseJsonText(text, () => column, nonFinite);
  } catch (cause) {
    if (!(cause instanceof JSONDecodeError && cause.cause instanceof JsonSyntaxFault)) throw cause;
    const place = `${cause.line}:${cause.column}`;
    return new RowFault(column, `${place}: not valid JSON: ${cause.cause.message}: ${quote(text)}`, { cause });
  }
}

export function corrupt(fault: string, path: string, cause?: unknown): CorruptDataError {
  return new CorruptDataError(`${fault}.`, { path, cause });
}

/** The problems of a row, and its values as a pattern with the tokens of its JSON columns as numbers. */
export function rowProblems(row: StoredRow): { pattern: Record<string, unknown>; problems: PatternProblem[] } {
  const pattern: Record<string, unknown> = {};
  const unreadable: PatternProblem[] = [];
  for (const [index, field] of PATTERN_FIELDS.entries()) {
    const value = row[index + 1];
    pattern[field] = value;
    if ((field !== "context" && field !== "tags") || value === null) continue;
    const found = typeof value === "string" ? readTokens(value, field) : undefined;
    pattern[field] = found === undefined ? null : found.value;
    if (found !== undefined) continue;
    const code = typeof value === "string" ? "not_json" : "wrong_type";
    const reason = `expected JSON text, got ${describe(value)}`;
    unreadable.push({ code, field, pointer: `/${field}`, value, reason, beyondSchema: false });
  }
  return { pattern, problems: [...unreadable, ...tokenProblems(pattern)] };
}

function readTokens(text: string, column: string): { value: unknown } | undefined {
  try {
    return { value: parseJsonText(text, () => column, "number") };
  } catch (cause) {
    if (cause instanceof JSONDecodeError) return undefined;
    throw cause;
  }
}
