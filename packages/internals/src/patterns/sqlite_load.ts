import { isUtf8 } from "node:buffer";
import { resolve } from "node:path";
import { withStorage } from "../files/storage_errors.ts";
import { assertDatabasePath } from "../files/places.ts";
import { assertColumns, hasRowid } from "../sqlite/catalog.ts";
import { lazy } from "../runtime/lazy.ts";
import { type Database, openDatabase, type Statement } from "../sqlite/open_database.ts";
import { readTransaction } from "../sqlite/read_transaction.ts";
import { quote } from "../text/describe.ts";
import type { NonFinite } from "../json/load_options.ts";
import { deriveContributions } from "./contributions.ts";
import {
  assertLibraryLoadOptions,
  type InvalidPattern,
  type LibraryLoadOptions,
  reportInvalid,
} from "./invalid_patterns.ts";
import { hasOrdinaryFields } from "./ordinary_pattern.ts";
import { placeAt, rememberUse } from "./known_use.ts";
import { PatternLibrary } from "./library.ts";
import { type Pattern } from "./pattern.ts";
import { PATTERN_FIELDS } from "../validity/pattern_fields.ts";
import {
  corruptRow,
  invalidRow,
  type PatternRow,
  readJsonColumns,
  readStoredPattern,
  RowFault,
  type StoredRow,
} from "./stored_pattern.ts";
import { inBatches } from "../rows/in_batches.ts";

/**
 * Reads a library from an SQLite database, patterns in `rowid` order (specification, section 4.1; ruling U-order).
 * Nothing is created or changed.
 *
 * @throws FileNotFoundError if the file does not exist (ruling U-sqlite-missing).
 * @throws CorruptDataError if it is not an SQLite database, has no table `patterns`, or contains a row that is not a
 * pattern.
 */
export function loadLibraryFromSqlite(dbPath: string, options: LibraryLoadOptions = {}): PatternLibrary {
  assertDatabasePath("dbPath", dbPath);
  assertLibraryLoadOptions(options);
  const invalid: InvalidPattern[] = [];
  const database = openDatabase(dbPath, { intent: "read" });
  let library: PatternLibrary;
  try {
    library = loadLibrary(database, dbPath, options, invalid);
  } finally {
    database.close();
  }
  rememberUse(library, placeAt(dbPath));
  reportInvalid(library, resolve(dbPath), invalid, options.onInvalid);
  return library;
}

/**
 * Reads a library through an open connection; see {@link loadLibraryFromSqlite}.
 *
 * @param invalid Receives the rows that are not patterns if `onInvalid` was given; `onInvalid` is not called here.
 */
export function loadLibrary(
  database: Database,
  dbPath: string,
  { nonFinite, onInvalid }: LibraryLoadOptions = {},
  invalid: InvalidPattern[] = [],
): PatternLibrary {
  const library = new PatternLibrary();
  const read = (): void => {
    assertColumns(database, "patterns", PATTERN_FIELDS, dbPath);
    const order = hasRowid(database, "patterns") ? "rowid" : "id";
    // Without names of its own, a column would have the name with which the table declares it.
    const columns = PATTERN_FIELDS.map((field) => `${field} AS ${field}`);
    const rows = database.prepare<[], PatternRow>(`SELECT ${columns.join(", ")} FROM patterns ORDER BY ${order}`);
    const ids = new Set<string>();
    const readRow = rowReader(database, order, nonFinite, ids);
    const placeOf = placesByIndex(database, order);
    // An array for the same reason as in `received_patterns.ts`.
    const valid: Pattern[] = [];
    const add = (pattern: Pattern): void => {
      valid.push(pattern);
      // Otherwise a duplicate is found at the end, which takes less time.
      if (onInvalid !== undefined) ids.add(pattern.id);
    };
    const addWithCare = (row: StoredRow, hasValues: boolean): void => {
      const pattern = readRow(row, hasValues);
      if (!(pattern instanceof RowFault)) add(pattern);
      else if (onInvalid === undefined) throw corruptRow(row, pattern, dbPath);
      else invalid.push(invalidRow(row, pattern, dbPath));
    };
    let fault: unknown;
    let index = 0;
    try {
      for (const batch of inBatches(rows.iterate(), BATCH)) {
        const hasValues = !batch.some((row) => hasReplacement(Object.values(row))) && readJsonColumns(batch);
        for (const row of batch) {
          // Nearly every row is a pattern as the driver returns it.
          if (hasValues && isOrdinary(row) && !ids.has(row.id)) add(row);
          else addWithCare([placeOf(index), ...PATTERN_FIELDS.map((field) => row[field])], hasValues);
          index += 1;
        }
      }
    } catch (error) {
      fault = error;
    }
    for (const [number, pattern] of valid.entries()) {
      library.patterns.set(pattern.id, pattern);
      if (library.patterns.size > number) continue;
      throw corruptRow([placesByIndex(database, order)(number)], duplicateOf(pattern), dbPath);
    }
    if (fault !== undefined) throw fault;
  };
  // One transaction, so that rows and their look-ups are read at the same moment.
  withStorage(dbPath, "loading", () => readTransaction(database, read));
  deriveContributions(library);
  return library;
}

/** Number of rows whose JSON columns are read together. */
const BATCH = 100;

const isOrdinary = (row: PatternRow): row is PatternRow & Pattern => hasOrdinaryFields(row as Pattern);

/** Finds what identifies a row by the index of the row. A later index is sought from the last one that was found. */
function placesByIndex(database: Database, order: "rowid" | "id"): (index: number) => unknown {
  const place = (where: string): Statement =>
    database
      .prepare(`SELECT ${order} FROM patterns ${where} ORDER BY ${order} LIMIT 1 OFFSET ?`)
      .pluck()
      .safeIntegers();
  const [fromStart, fromKnown] = [lazy(() => place("")), lazy(() => place(`WHERE ${order} >= ?`))];
  let known: { place: unknown; index: number } | undefined;
  return (index) => {
    const found = known === undefined ? fromStart().get(index) : fromKnown().get(known.place, index - known.index);
    // Text that was not read as it is stored would find another row.
    if (!hasReplacement([found])) known = { place: found, index };
    return found;
  };
}

/**
 * Columns of a select that returns a {@link StoredRow}.
 *
 * @param fields SQL for the fields of a pattern, if it is not their names.
 */
export function selected(order: "rowid" | "id", fields: readonly string[] = PATTERN_FIELDS): string {
  return `${order}, ${fields.join(", ")}`;
}

/**
 * Prepares to read rows of the table `patterns`, which has the columns of section 2.1.
 *
 * @param order The column that identifies a row.
 * @param known Ids of the rows that were read before.
 * @param fields SQL for the fields of a pattern, if it is not their names.
 * @returns A function that converts a row to a pattern, or returns the reason why it is invalid.
 */
export function rowReader(
  database: Database,
  order: "rowid" | "id",
  nonFinite: NonFinite | undefined,
  known: { has(id: string): boolean },
  fields: readonly string[] = PATTERN_FIELDS,
): (row: StoredRow, hasValues?: boolean) => Pattern | RowFault {
  const bytes = bytesByPlace(database, order, fields);
  return (row, hasValues = false) => {
    const fault = hasValues || !hasReplacement(row.slice(1)) ? undefined : faultOfText(row, bytes);
    const pattern = fault ?? readStoredPattern(row, nonFinite, hasValues);
    return !(pattern instanceof RowFault) && known.has(pattern.id) ? duplicateOf(pattern) : pattern;
  };
}

const duplicateOf = ({ id }: Pattern): RowFault =>
  new RowFault("id", `duplicate id ${quote(id)}: an earlier row has it`, { kind: "duplicate" });

/** Replacement character for bytes that are not UTF-8. */
const REPLACEMENT = "\ufffd";

/** Undefined if no row has the key: it was read from text that is not UTF-8, or the database is damaged. */
type RowBytes = (place: unknown) => (Buffer | null)[] | undefined;

function bytesByPlace(database: Database, order: string, fields: readonly string[]): RowBytes {
  const columns = fields.map((field) => `CAST(${field} AS BLOB)`).join(", ");
  const statement = database.prepare(`SELECT ${columns} FROM patterns WHERE ${order} = ?`).raw();
  return (place) => statement.get(place) as ReturnType<RowBytes>;
}

const hasReplacement = (values: readonly unknown[]): boolean =>
  values.some((value) => typeof value === "string" && value.includes(REPLACEMENT));

/** Checks text that contains U+FFFD: the bytes of the row show whether it is stored there or replaces broken UTF-8. */
function faultOfText([place]: StoredRow, bytes: RowBytes): RowFault | undefined {
  const stored = bytes(place);
  if (stored === undefined && typeof place === "string" && place.includes(REPLACEMENT)) return notUtf8("id");
  if (stored === undefined)
    return new RowFault(undefined, "the row cannot be found by its key: the database is damaged");
  const broken = stored.findIndex((each) => each !== null && !isUtf8(each));
  return broken === -1 ? undefined : notUtf8(PATTERN_FIELDS[broken]);
}

const notUtf8 = (field: string | undefined): RowFault =>
  new RowFault(field, "text that is not UTF-8", { kind: "encoding" });
