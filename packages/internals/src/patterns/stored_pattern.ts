import { CorruptDataError, PerduraError } from "../errors/errors.ts";
import { parseJsonText } from "../json/decode.ts";
import type { NonFinite } from "../json/load_options.ts";
import { describe, quote } from "../text/describe.ts";
import { patternFault } from "./check_pattern.ts";
import { hasOrdinaryFields } from "./ordinary_pattern.ts";
import { completePattern, type Pattern, type PatternInput } from "./pattern.ts";

/** The place of a row (its rowid, or its id where it has none), then the {@link PATTERN_FIELDS}. */
export type StoredRow = [place: unknown, ...values: unknown[]];

/** Names a row in messages. */
export function placeOf([place]: StoredRow, database: string): string {
  return `${database}: table "patterns", row ${typeof place === "string" ? quote(place) : String(place)}`;
}

/**
 * Makes a pattern of a row of the table `patterns`.
 *
 * @throws CorruptDataError for a row that is no pattern, naming the row and what is wrong.
 */
export function readStoredPattern(row: StoredRow, database: string, nonFinite?: NonFinite): Pattern {
  // A 64-bit integer beyond 2^53 arrives rounded, yet beyond what the schema accepts.
  const input = {
    id: row[1],
    agent_id: row[2],
    pattern_type: row[3],
    name: row[4],
    description: row[5],
    context: row[6] === null ? null : readJsonColumn(row, row[6], "context", { database, nonFinite }),
    code: row[7],
    confidence: row[8],
    usage_count: row[9],
    success_count: row[10],
    failure_count: row[11],
    tags: row[12] === null ? null : readJsonColumn(row, row[12], "tags", { database, nonFinite }),
    discovered_at: row[13],
    last_used: row[14],
  };
  if (hasOrdinaryFields(input as Pattern)) return input as Pattern;
  const pattern = completePattern(input as PatternInput);
  const fault = patternFault(pattern);
  if (fault !== undefined)
    throw corrupt(`${placeOf(row, database)}: ${fault.pointer.slice(1)}: ${fault.reason}`, database);
  return pattern;
}

/** The database that text comes from, and the option for reading it. */
interface Source {
  database: string;
  nonFinite: NonFinite | undefined;
}

function readJsonColumn(row: StoredRow, text: unknown, column: "context" | "tags", source: Source): unknown {
  const { database, nonFinite } = source;
  const where = (): string => `${placeOf(row, database)}, column "${column}"`;
  if (typeof text !== "string") throw corrupt(`${where()}: expected JSON text, got ${describe(text)}`, database);
  try {
    return parseJsonText(text, where, nonFinite);
  } catch (cause) {
    if (!(cause instanceof PerduraError)) throw cause;
    throw corrupt(`${cause.message.replace(/\.$/, "")}: ${quote(text)}`, database, cause);
  }
}

export function corrupt(fault: string, path: string, cause?: unknown): CorruptDataError {
  return new CorruptDataError(`${fault}. It was left as it is.`, { path, cause });
}
