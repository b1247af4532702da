import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { storageErrorOf, withStorage } from "../files/storage_errors.ts";
import { assertDatabasePath, assertWritablePlace } from "../files/places.ts";
import { removeAbandonedTemporaries } from "../files/abandoned_temporaries.ts";
import type { Access } from "../files/access.ts";
import { createFileFor, unlessCreated } from "../files/private_file.ts";
import { createWholeFile } from "../files/whole_file.ts";
import { assertNoOrphanedLog } from "../sqlite/orphaned_log.ts";
import { type Database, DEFAULT_WAITS, openDatabase, type Statement } from "../sqlite/open_database.ts";
import { withParents } from "../sqlite/missing_parents.ts";
import { PlacedFile } from "../sqlite/placed_file.ts";
import { WriteTransaction } from "../sqlite/write_transaction.ts";
import { assertOptions } from "../text/options.ts";
import { assertSavable } from "./assert_savable.ts";
import { assertMayReplace } from "./invalid_patterns.ts";
import { isSameUse, knownUse, type Place, placeAt, rememberUse, type Use } from "./known_use.ts";
import type { PatternLibrary } from "./library.ts";
import { type Pattern } from "./pattern.ts";
import { IgnoredRow, mayIgnoreRows } from "../validity/ignored_row.ts";
import { PATTERN_FIELDS } from "../validity/pattern_fields.ts";
import { checkedMode, type SaveMode, type SaveResult, type SaveToSqliteOptions } from "./save_result.ts";
import { removeOtherPatterns } from "./sqlite_replace.ts";
import { hasOrdinaryRow, ordinaryRow, type PatternRow, patternRow } from "./sqlite_rows.ts";
import { PATTERN_INDEXES, createPatternTables } from "./sqlite_schema.ts";
import { writeUsage } from "./sqlite_usage.ts";

/**
 * Writes a library into an SQLite database in one transaction (specification, section 4.1; ruling U-save-existing). A
 * new database is either complete or not created.
 *
 * @param access Owner, group and mode of a new database; by default those of this user and the umask.
 * @throws ValidationError for a library that SQLite cannot store; the database is unchanged.
 * @throws CorruptDataError if the file is not an SQLite database, or its tables are not those of section 2.
 */
export function saveLibraryToSqlite(
  library: PatternLibrary,
  dbPath: string,
  options: SaveToSqliteOptions = {},
  access?: Access,
): SaveResult {
  assertDatabasePath("dbPath", dbPath);
  assertWritablePlace("dbPath", dbPath);
  const save = prepareSave(library, dbPath, options);
  return withStorage(dbPath, "saving", () => {
    if (!existsSync(dbPath)) {
      assertNoOrphanedLog(dbPath);
      // No other process sees this file before it is complete, so its journal may be in memory.
      const created = createWholeFile(
        dbPath,
        (temporary) =>
          saveThroughConnection(temporary, save, (database) => void database.pragma("journal_mode = MEMORY")),
        access,
      );
      if (created !== undefined) return finish(save, created);
      if (access !== undefined) unlessCreated(() => createFileFor(dbPath, access));
    }
    // A writer that was killed after it linked the file to its final name has left the temporary name, which is a
    // second name of the file.
    removeAbandonedTemporaries(dirname(dbPath));
    return finish(
      save,
      saveThroughConnection(dbPath, save, (database) => new PlacedFile(database, dbPath)),
    );
  });
}

/** Writes a library through an open connection; see {@link saveLibraryToSqlite}. */
export function saveLibrary(
  database: Database,
  library: PatternLibrary,
  dbPath: string,
  options: SaveToSqliteOptions = {},
): SaveResult {
  const save = { ...prepareSave(library, dbPath, options), place: database };
  return finish(save, writeRows(database, save));
}

/** A save whose values have been checked. */
interface PreparedSave {
  library: PatternLibrary;
  /** Rows that need checks. Other rows are built when they are written, so that they need no memory. */
  rows: Map<Pattern, PatternRow>;
  dbPath: string;
  place: Place;
  mode: SaveMode;
}

/** Result of a save, and the uses that were not saved yet. */
interface Written {
  result: SaveResult;
  stillPending: PatternLibrary["pendingUsage"];
}

/** Rejects a library that cannot be saved, before any file is touched. */
function prepareSave(library: PatternLibrary, dbPath: string, options: SaveToSqliteOptions): PreparedSave {
  assertOptions("options", options, ["mode", "dropInvalid"]);
  const mode = checkedMode(options.mode);
  const others = assertSavable(library, dbPath);
  assertMayReplace(library, dbPath, { ...options, mode });
  const rows = new Map<Pattern, PatternRow>();
  for (const pattern of library.patterns.values()) {
    if (others.has(pattern) || !hasOrdinaryRow(pattern)) rows.set(pattern, patternRow(pattern, dbPath));
  }
  return { library, dbPath, place: placeAt(dbPath), mode, rows };
}

/** @param prepare Returns the place of a file that other programs may replace meanwhile. */
function saveThroughConnection(
  path: string,
  save: PreparedSave,
  prepare: (database: Database) => PlacedFile | undefined,
): Written {
  const database = openDatabase(path, { intent: "record", shownAs: save.dbPath });
  let file: PlacedFile | undefined;
  try {
    file = prepare(database);
    const written = writeRows(database, save);
    file?.assertAfter();
    return written;
  } finally {
    (file ?? database).close();
  }
}

function writeRows(database: Database, save: PreparedSave): Written {
  const { library, dbPath, mode } = save;
  const write = (): Written => {
    createPatternTables(database, dbPath);
    const patterns = mode === "add" ? addPatterns(database, save) : writePatterns(database, save);
    const removed =
      mode === "replace"
        ? removeOtherPatterns(database, [...library.patterns.keys()], dbPath)
        : { removedPatterns: 0, removedUsageRows: 0 };
    const { written, unreferenced } = writeUsage(database, library.pendingUsage, dbPath);
    for (const create of Object.values(PATTERN_INDEXES)) database.exec(create);
    const dropped = mode === "replace" ? unreferenced.length : 0;
    return {
      result: {
        ...removed,
        patterns,
        usageRows: written,
        removedUsageRows: removed.removedUsageRows + dropped,
      },
      stillPending: mode === "replace" ? [] : unreferenced,
    };
  };
  try {
    return withParents(database, ["patterns", "pattern_usage"], dbPath, () =>
      new WriteTransaction(database, DEFAULT_WAITS).run(write),
    );
  } catch (error) {
    throw storageErrorOf(error, dbPath, "saving");
  }
}

/**
 * Removes saved uses from the queue after the commit, and notes what is stored. A failed save leaves all uses queued.
 */
function finish({ library, place }: PreparedSave, { result, stillPending }: Written): SaveResult {
  // A loop, because spreading a long queue into a call would overflow the stack.
  library.pendingUsage.length = 0;
  for (const usage of stillPending) library.pendingUsage.push(usage);
  rememberUse(library, place);
  return result;
}

const ROW = `(${PATTERN_FIELDS.map(() => "?").join(", ")})`;
const INSERT = `INSERT INTO patterns (${PATTERN_FIELDS.join(", ")}) VALUES ${ROW}`;

/** Number of rows of one statement in an empty table. Statements of one row take half as long again. */
const TOGETHER = 8;
const INSERT_TOGETHER = `${INSERT}${`, ${ROW}`.repeat(TOGETHER - 1)}`;

/** The use that the library and the database had when they last agreed, as parameters of {@link ADD_USE}. */
type Known = Record<`known_${"usage" | "success" | "failure"}`, number> & { known_last_used: string | null };

/** Adds what other programs have counted since then; see `known_use.ts`. */
const count = (field: string, known: keyof Known): string =>
  `max(0, excluded.${field} + iif(typeof(patterns.${field}) = 'integer', patterns.${field} - @${known}, 0))`;

/** The time that only one of the programs changed, or else the later one. */
const LATER = `CASE
    WHEN patterns.last_used IS @known_last_used THEN excluded.last_used
    WHEN excluded.last_used IS @known_last_used THEN patterns.last_used
    WHEN replace(patterns.last_used, ' ', 'T') > replace(excluded.last_used, ' ', 'T') THEN patterns.last_used
    ELSE excluded.last_used END`;

/** New values of an existing row, by field. */
type Assignments = ReadonlyMap<string, string>;

const GIVEN: Assignments = new Map(PATTERN_FIELDS.slice(1).map((field) => [field, `excluded.${field}`]));

const USE: Assignments = new Map([
  ["usage_count", count("usage_count", "known_usage")],
  ["success_count", count("success_count", "known_success")],
  ["failure_count", count("failure_count", "known_failure")],
  ["last_used", LATER],
]);

/** Updates only rows that differ, so that equal rows keep their `updated_at`. */
function upsert(assignments: Assignments): string {
  return `${INSERT}
    ON CONFLICT (id) DO UPDATE SET ${[...assignments].map(([field, value]) => `${field} = ${value}`).join(", ")}, updated_at = CURRENT_TIMESTAMP
    WHERE (${[...assignments.keys()].join(", ")}) IS NOT (${[...assignments.values()].join(", ")})`;
}

/** Replaces an existing row. */
const REPLACE = upsert(GIVEN);

/** Replaces the fields that recording a use does not change. */
const KEEP_USE = upsert(new Map([...GIVEN].filter(([field]) => !USE.has(field))));

/** Replaces those, and adds the use since the library and the database agreed. */
const ADD_USE = upsert(new Map([...GIVEN, ...USE]));

/** Adds an absent row. */
const ADD = `${INSERT} ON CONFLICT (id) DO NOTHING`;

/** Adds the use since the library and the database agreed. */
const ADD_USE_ONLY = upsert(USE);

/** Adds the patterns that the database does not have, and their uses to the others. @returns Number of added patterns. */
function addPatterns(database: Database, { library, rows, place, dbPath }: PreparedSave): number {
  const [add, addUse] = [database.prepare(ADD), database.prepare(ADD_USE_ONLY)];
  const useOf = knownUse(library, place);
  const isStored = database.prepare("SELECT 1 FROM patterns WHERE id = ?");
  let added = 0;
  for (const pattern of library.patterns.values()) {
    const row = rows.get(pattern) ?? ordinaryRow(pattern);
    const { changes } = add.run(row);
    added += changes;
    if (changes > 0) continue;
    if (isStored.get(pattern.id) === undefined) throw new IgnoredRow(database, "patterns", dbPath);
    const use = useOf(pattern);
    if (use !== undefined && !isSameUse(pattern, use)) addUse.run(row, knownValues(use));
  }
  return added;
}

/** @returns Number of patterns. */
function writePatterns(database: Database, save: PreparedSave): number {
  const isEmpty = database.prepare("SELECT 1 FROM patterns LIMIT 1").get() === undefined;
  const mayIgnore = mayIgnoreRows(database, "patterns");
  if (isEmpty && !mayIgnore) insertPatterns(database, save);
  else replacePatterns(database, save, mayIgnore);
  return save.library.size;
}

/** Writes them into an empty table, in which no id can conflict, because each id of a library occurs once. */
function insertPatterns(database: Database, { library, rows }: PreparedSave): void {
  const [one, together] = [database.prepare(INSERT), database.prepare(INSERT_TOGETHER)];
  let held: PatternRow[] = [];
  for (const pattern of library.patterns.values()) {
    held.push(rows.get(pattern) ?? ordinaryRow(pattern));
    if (held.length < TOGETHER) continue;
    together.run(...held);
    held = [];
  }
  for (const row of held) one.run(row);
}

function replacePatterns(
  database: Database,
  { library, rows, place, mode, dbPath }: PreparedSave,
  mayIgnore: boolean,
): void {
  const [replace, keepUse, addUse] = [REPLACE, KEEP_USE, ADD_USE].map((sql) => database.prepare(sql)) as [
    Statement,
    Statement,
    Statement,
  ];
  const useOf = mode === "merge" ? knownUse(library, place) : () => undefined;
  const stored = database.prepare(
    `SELECT 1 FROM patterns WHERE (${OWN_FIELDS.join(", ")}) IS (${OWN_FIELDS.map(() => "?").join(", ")})`,
  );
  for (const pattern of library.patterns.values()) {
    const row = rows.get(pattern) ?? ordinaryRow(pattern);
    const use = useOf(pattern);
    const { changes } =
      use === undefined
        ? replace.run(row)
        : isSameUse(pattern, use)
          ? keepUse.run(row)
          : addUse.run(row, knownValues(use));
    // A row without a change is equal already, except if a trigger or a constraint made SQLite ignore it.
    if (
      changes === 0 &&
      mayIgnore &&
      stored.get(OWN_FIELDS.map((field) => row[PATTERN_FIELDS.indexOf(field)])) === undefined
    )
      throw new IgnoredRow(database, "patterns", dbPath);
  }
}

/** The fields that recording a use does not change. */
const OWN_FIELDS = PATTERN_FIELDS.filter((field) => !USE.has(field));

function knownValues([known_usage, known_success, known_failure, known_last_used]: Use): Known {
  return { known_usage, known_success, known_failure, known_last_used };
}
