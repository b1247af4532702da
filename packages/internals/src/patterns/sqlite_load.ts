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
    const rows = database.prepare(`SELECT ${order} AS place, ${COLUMNS} FROM patterns ORDER BY ${order}`);
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

/** With the names of the specification, whatever the case in which the table spells them. */
const COLUMNS = PATTERN_FIELDS.map((field) => `${field} AS ${field}`).join(", ");

type Row = Record<string, unknown> & { place: unknown };

/** Names a row in messages. */
function placeOf({ place }: Row, dbPath: string): string {
  return `${dbPath}: table "patterns", row ${typeof place === "string" ? quote(place) : String(place)}`;
}

function readRow(row: Row, dbPath: string): Pattern {
  const input: Record<string, unknown> = {};
  for (const field of PATTERN_FIELDS) {
    const value = row[field];
    // A 64-bit integer beyond 2^53 arrives rounded, yet beyond what the schema accepts.
    input[field] =
      (field === "context" || field === "tags") && value !== null ? readJsonColumn(row, field, dbPath) : value;
  }
  const pattern = completePattern(input as unknown as PatternInput);
  const fault = patternFault(pattern);
  if (fault !== undefined)
    throw corrupt(
      `${placeOf(row, dbPath)}: ${fault.pointer === "" ? "" : `${fault.pointer.slice(1)}: `}${fault.reason}`,
      dbPath,
    );
  return pattern;
}

function readJsonColumn(row: Row, field: "context" | "tags", dbPath: string): unknown {
  const text = row[field];
  const where = (): string => `${placeOf(row, dbPath)}, column "${field}"`;
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
  const suspicious = PATTERN_FIELDS.some((field) => typeof row[field] === "string" && row[field].includes(REPLACEMENT));
  return suspicious && bytes(row.place).some((value) => value !== null && !isUtf8(value));
}

function corrupt(fault: string, path: string, cause?: unknown): CorruptDataError {
  return new CorruptDataError(`${fault}. It was left as it is.`, { path, cause });
}
