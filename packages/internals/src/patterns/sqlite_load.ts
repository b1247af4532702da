import { isUtf8 } from "node:buffer";
import { CorruptDataError, PerduraError } from "../errors/errors.ts";
import { withStorage } from "../errors/storage_errors.ts";
import { assertDatabasePath } from "../files/places.ts";
import { parseJsonText } from "../json/decode.ts";
import { assertColumns, hasRowid } from "../sqlite/catalog.ts";
import { type Database, openDatabase } from "../sqlite/open_database.ts";
import { describe, quote } from "../text/describe.ts";
import { patternFault } from "./check_pattern.ts";
import { deriveContributions } from "./contributions.ts";
import { PatternLibrary } from "./library.ts";
import { hasOrdinaryFields } from "./ordinary_pattern.ts";
import { completePattern, PATTERN_FIELDS, type Pattern, type PatternInput } from "./pattern.ts";

/**
 * Reads a library from an SQLite database, patterns in `rowid` order (specification, section 4.1; ruling U-order).
 * Nothing is created and nothing is changed.
 *
 * @throws FileNotFoundError when there is no such file (ruling U-sqlite-missing).
 * @throws CorruptDataError when it is no SQLite database, has no table `patterns`, or holds a row that is no pattern.
 */
export function loadLibraryFromSqlite(dbPath: string): PatternLibrary {
  assertDatabasePath("dbPath", dbPath);
  const database = openDatabase(dbPath, { access: "query" });
  try {
    return loadLibrary(database, dbPath);
  } finally {
    database.close();
  }
}

/** Reads a library through an open connection; see {@link loadLibraryFromSqlite}. */
export function loadLibrary(database: Database, dbPath: string): PatternLibrary {
  const library = new PatternLibrary();
  // One transaction: rows and what is looked up beside them come from the same moment.
  const read = database.transaction(() => {
    assertColumns(database, "patterns", PATTERN_FIELDS, dbPath);
    const order = hasRowid(database, "patterns") ? "rowid" : "id";
    const bytes = bytesByPlace(database, order);
    const rows = database
      .prepare(`SELECT ${order}, ${PATTERN_FIELDS.join(", ")} FROM patterns ORDER BY ${order}`)
      .raw();
    for (const row of rows.iterate() as Iterable<Row>) {
      if (hidesBrokenText(row, bytes)) throw corrupt(`${placeOf(row, dbPath)}: text that is not UTF-8`, dbPath);
      const pattern = readRow(row, dbPath);
      if (library.patterns.has(pattern.id))
        throw corrupt(`${placeOf(row, dbPath)}: the id ${quote(pattern.id)} stands for an earlier row already`, dbPath);
      library.patterns.set(pattern.id, pattern);
    }
  });
  withStorage(dbPath, "loading", read);
  deriveContributions(library);
  return library;
}

/** The place of a row (its rowid, or its id where it has none), then the {@link PATTERN_FIELDS}. */
type Row = [place: unknown, ...values: unknown[]];

/** Names a row in messages. */
function placeOf([place]: Row, dbPath: string): string {
  return `${dbPath}: table "patterns", row ${typeof place === "string" ? quote(place) : String(place)}`;
}

/** A 64-bit integer beyond 2^53 arrives rounded, yet beyond what the schema accepts. */
function readRow(row: Row, dbPath: string): Pattern {
  const input = {
    id: row[1],
    agent_id: row[2],
    pattern_type: row[3],
    name: row[4],
    description: row[5],
    context: row[6] === null ? null : readJsonColumn(row, row[6], "context", dbPath),
    code: row[7],
    confidence: row[8],
    usage_count: row[9],
    success_count: row[10],
    failure_count: row[11],
    tags: row[12] === null ? null : readJsonColumn(row, row[12], "tags", dbPath),
    discovered_at: row[13],
    last_used: row[14],
  };
  if (hasOrdinaryFields(input as Pattern)) return input as Pattern;
  const pattern = completePattern(input as PatternInput);
  const fault = patternFault(pattern);
  if (fault !== undefined)
    throw corrupt(
      `${placeOf(row, dbPath)}: ${fault.pointer === "" ? "" : `${fault.pointer.slice(1)}: `}${fault.reason}`,
      dbPath,
    );
  return pattern;
}

function readJsonColumn(row: Row, text: unknown, column: "context" | "tags", dbPath: string): unknown {
  const where = (): string => `${placeOf(row, dbPath)}, column "${column}"`;
  if (typeof text !== "string") throw corrupt(`${where()}: expected JSON text, got ${describe(text)}`, dbPath);
  try {
    return parseJsonText(text, where);
  } catch (cause) {
    if (!(cause instanceof PerduraError)) throw cause;
    throw corrupt(`${cause.message.replace(/\.$/, "")}: ${quote(text)}`, dbPath, cause);
  }
}

/** What decoding puts in place of bytes that are not UTF-8. */
const REPLACEMENT = "\ufffd";

type RowBytes = (place: unknown) => (Buffer | null)[];

function bytesByPlace(database: Database, order: string): RowBytes {
  const columns = PATTERN_FIELDS.map((field) => `CAST(${field} AS BLOB)`).join(", ");
  const statement = database.prepare(`SELECT ${columns} FROM patterns WHERE ${order} = ?`).raw();
  return (place) => statement.get(place) as (Buffer | null)[];
}

/** A U+FFFD that was read is suspicious: the row's bytes tell whether it stands there or hides broken UTF-8. */
function hidesBrokenText(row: Row, bytes: RowBytes): boolean {
  for (let column = 1; column < row.length; column += 1) {
    const value = row[column];
    if (typeof value === "string" && value.includes(REPLACEMENT)) {
      return bytes(row[0]).some((stored) => stored !== null && !isUtf8(stored));
    }
  }
  return false;
}

function corrupt(fault: string, path: string, cause?: unknown): CorruptDataError {
  return new CorruptDataError(`${fault}. It was left as it is.`, { path, cause });
}
