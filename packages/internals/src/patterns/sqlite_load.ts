import { isUtf8 } from "node:buffer";
import { CorruptDataError, PerduraError } from "../errors/errors.ts";
import { assertPath } from "../files/require_directory.ts";
import { parseJsonText } from "../json/decode.ts";
import { assertColumns } from "../sqlite/catalog.ts";
import { type Database, openDatabase } from "../sqlite/open_database.ts";
import { translateSqliteError } from "../sqlite/sqlite_errors.ts";
import { quote } from "../text/describe.ts";
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
  assertPath("dbPath", dbPath);
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
  try {
    assertColumns(database, "patterns", PATTERN_FIELDS, dbPath);
    const rows = database.prepare(`SELECT rowid AS row, ${PATTERN_FIELDS.join(", ")} FROM patterns ORDER BY rowid`);
    for (const row of rows.iterate() as Iterable<Record<string, unknown>>) {
      const pattern = readRow(row, dbPath);
      library.patterns.set(pattern.id, pattern);
    }
  } catch (error) {
    throw translateSqliteError(error, dbPath);
  }
  assertWellEncoded(database, library, dbPath);
  deriveContributions(library);
  return library;
}

function readRow(row: Record<string, unknown>, dbPath: string): Pattern {
  const where = `${dbPath}: table "patterns", row ${String(row["row"])}`;
  const input: Record<string, unknown> = {};
  for (const field of PATTERN_FIELDS) {
    // A 64-bit integer beyond 2^53 arrives rounded, yet beyond what the schema accepts.
    input[field] = row[field];
  }
  for (const field of ["context", "tags"] as const) {
    if (typeof input[field] === "string")
      input[field] = readJsonColumn(input[field], `${where}, column "${field}"`, dbPath);
  }
  const pattern = completePattern(input as unknown as PatternInput);
  const fault = patternFault(pattern);
  if (fault === undefined) return pattern;
  throw new CorruptDataError(`${where}: ${fault.pointer.slice(1)}: ${fault.reason}. It was left as it is.`, {
    path: dbPath,
  });
}

function readJsonColumn(text: string, where: string, dbPath: string): unknown {
  try {
    return parseJsonText(text, where);
  } catch (cause) {
    if (!(cause instanceof PerduraError)) throw cause;
    throw new CorruptDataError(`${cause.message.replace(/\.$/, "")}: ${quote(text)}. It was left as it is.`, {
      path: dbPath,
      cause,
    });
  }
}

/** What decoding puts in place of bytes that are not UTF-8. */
const REPLACEMENT = "\ufffd";

/** A U+FFFD that was read is suspicious: the row's bytes tell whether it stands there or hides broken UTF-8. */
function assertWellEncoded(database: Database, library: PatternLibrary, dbPath: string): void {
  const bytes = database
    .prepare(`SELECT ${PATTERN_FIELDS.map((field) => `CAST(${field} AS BLOB)`).join(", ")} FROM patterns WHERE id = ?`)
    .raw();
  for (const pattern of library.patterns.values()) {
    const texts = [pattern.id, pattern.agent_id, pattern.pattern_type, pattern.name, pattern.description, pattern.code];
    if (!texts.some((text) => text?.includes(REPLACEMENT))) continue;
    const row = bytes.get(pattern.id) as (Buffer | null)[] | undefined;
    const broken = row === undefined || row.some((value) => value !== null && !isUtf8(value));
    if (!broken) continue;
    throw new CorruptDataError(
      `${dbPath}: table "patterns", id ${quote(pattern.id)}: text that is not UTF-8. It was left as it is.`,
      {
        path: dbPath,
      },
    );
  }
}
