import { isUtf8 } from "node:buffer";
import { withStorage } from "../errors/storage_errors.ts";
import { assertDatabasePath } from "../files/places.ts";
import { assertColumns, hasRowid } from "../sqlite/catalog.ts";
import { type Database, openDatabase } from "../sqlite/open_database.ts";
import { quote } from "../text/describe.ts";
import { deriveContributions } from "./contributions.ts";
import { assertLoadOptions, type LoadOptions } from "../json/load_options.ts";
import { PatternLibrary } from "./library.ts";
import { PATTERN_FIELDS } from "./pattern.ts";
import { corrupt, placeOf, readStoredPattern, type StoredRow } from "./stored_pattern.ts";

/**
 * Reads a library from an SQLite database, patterns in `rowid` order (specification, section 4.1; ruling U-order).
 * Nothing is created and nothing is changed.
 *
 * @throws FileNotFoundError when there is no such file (ruling U-sqlite-missing).
 * @throws CorruptDataError when it is no SQLite database, has no table `patterns`, or holds a row that is no pattern.
 */
export function loadLibraryFromSqlite(dbPath: string, options?: LoadOptions): PatternLibrary {
  assertDatabasePath("dbPath", dbPath);
  assertLoadOptions(options);
  const database = openDatabase(dbPath, { access: "query" });
  try {
    return loadLibrary(database, dbPath, options);
  } finally {
    database.close();
  }
}

/** Reads a library through an open connection; see {@link loadLibraryFromSqlite}. */
export function loadLibrary(database: Database, dbPath: string, options: LoadOptions = {}): PatternLibrary {
  const library = new PatternLibrary();
  // One transaction: rows and what is looked up beside them come from the same moment.
  const read = database.transaction(() => {
    assertColumns(database, "patterns", PATTERN_FIELDS, dbPath);
    const order = hasRowid(database, "patterns") ? "rowid" : "id";
    const bytes = bytesByPlace(database, order);
    const rows = database
      .prepare(`SELECT ${order}, ${PATTERN_FIELDS.join(", ")} FROM patterns ORDER BY ${order}`)
      .raw();
    for (const row of rows.iterate() as Iterable<StoredRow>) {
      const fault = faultOfText(row, bytes);
      if (fault !== undefined) throw corrupt(`${placeOf(row, dbPath)}: ${fault}`, dbPath);
      const pattern = readStoredPattern(row, dbPath, options.nonFinite);
      if (library.patterns.has(pattern.id))
        throw corrupt(`${placeOf(row, dbPath)}: the id ${quote(pattern.id)} stands for an earlier row already`, dbPath);
      library.patterns.set(pattern.id, pattern);
    }
  });
  withStorage(dbPath, "loading", read);
  deriveContributions(library);
  return library;
}

/** What decoding puts in place of bytes that are not UTF-8. */
const REPLACEMENT = "\ufffd";

/** Undefined where a damaged database does not find a row again by the key that it gave. */
type RowBytes = (place: unknown) => (Buffer | null)[] | undefined;

function bytesByPlace(database: Database, order: string): RowBytes {
  const columns = PATTERN_FIELDS.map((field) => `CAST(${field} AS BLOB)`).join(", ");
  const statement = database.prepare(`SELECT ${columns} FROM patterns WHERE ${order} = ?`).raw();
  return (place) => statement.get(place) as ReturnType<RowBytes>;
}

/** A U+FFFD that was read is suspicious: the row's bytes tell whether it stands there or hides broken UTF-8. */
function faultOfText(row: StoredRow, bytes: RowBytes): string | undefined {
  for (let column = 1; column < row.length; column += 1) {
    const value = row[column];
    if (typeof value !== "string" || !value.includes(REPLACEMENT)) continue;
    const stored = bytes(row[0]);
    if (stored === undefined) return "the row is not found again by its key: the database is damaged";
    return stored.some((each) => each !== null && !isUtf8(each)) ? "text that is not UTF-8" : undefined;
  }
  return undefined;
}
