import { ValidationError } from "../errors/errors.ts";
import { assertWritablePlace } from "../files/require_directory.ts";
import { assertColumns } from "../sqlite/catalog.ts";
import { type Database, openDatabase } from "../sqlite/open_database.ts";
import { translateSqliteError } from "../sqlite/sqlite_errors.ts";
import { describe } from "../text/describe.ts";
import { assertOptions } from "../text/options.ts";
import { assertSavable } from "./assert_savable.ts";
import type { PatternLibrary } from "./library.ts";
import { PATTERN_FIELDS } from "./pattern.ts";
import { removePatternsBeside } from "./sqlite_replace.ts";
import type { SaveResult, SaveToSqliteOptions } from "./save_result.ts";
import { type PatternRow, patternRow } from "./sqlite_rows.ts";
import { PATTERN_INDEXES, PATTERN_USAGE_TABLE, PATTERNS_TABLE } from "./sqlite_schema.ts";

/**
 * Writes a library into an SQLite database in one transaction (specification, section 4.1; ruling U-save-existing).
 *
 * @throws ValidationError for a library that SQLite cannot hold; the database stays as it was.
 * @throws CorruptDataError when the file is no SQLite database or its tables are not those of section 2.
 */
export function saveLibraryToSqlite(
  library: PatternLibrary,
  dbPath: string,
  options: SaveToSqliteOptions = {},
): SaveResult {
  assertWritablePlace("dbPath", dbPath);
  const rows = prepareSave(library, dbPath, options);
  const database = openDatabase(dbPath, { access: "create" });
  try {
    return writeRows(database, library, rows, dbPath, options);
  } finally {
    database.close();
  }
}

/** Refuses what cannot be saved before any file is touched. */
function prepareSave(library: PatternLibrary, dbPath: string, options: SaveToSqliteOptions): PatternRow[] {
  assertOptions("options", options, ["mode"]);
  if (options.mode !== undefined && options.mode !== "merge" && options.mode !== "replace") {
    throw new ValidationError(
      `mode: expected "merge" or "replace", got ${describe(options.mode)}. Nothing was written.`,
    );
  }
  assertSavable(library, dbPath);
  return Array.from(library.patterns.values(), (pattern) => patternRow(pattern, dbPath));
}

/** Writes a library through an open connection; see {@link saveLibraryToSqlite}. */
export function saveLibrary(
  database: Database,
  library: PatternLibrary,
  dbPath: string,
  options: SaveToSqliteOptions = {},
): SaveResult {
  return writeRows(database, library, prepareSave(library, dbPath, options), dbPath, options);
}

function writeRows(
  database: Database,
  library: PatternLibrary,
  rows: PatternRow[],
  dbPath: string,
  options: SaveToSqliteOptions,
): SaveResult {
  const result: SaveResult = { patterns: rows.length, usageRows: 0, removedPatterns: 0, removedUsageRows: 0 };
  const write = database.transaction(() => {
    createTables(database, dbPath);
    upsert(database, rows);
    if (options.mode === "replace") Object.assign(result, removePatternsBeside(database, [...library.patterns.keys()]));
    writeUsage(database, library, result);
    for (const create of Object.values(PATTERN_INDEXES)) database.exec(create);
  });
  try {
    write.immediate();
  } catch (error) {
    throw translateSqliteError(error, dbPath);
  }
  // Only now are the rows safe; a failed save leaves them queued.
  library.pendingUsage.length = 0;
  return result;
}

function createTables(database: Database, dbPath: string): void {
  for (const [table, create, columns] of [
    ["patterns", PATTERNS_TABLE, [...PATTERN_FIELDS, "updated_at"]],
    ["pattern_usage", PATTERN_USAGE_TABLE, ["pattern_id", "agent_id", "success", "used_at"]],
  ] as const) {
    database.exec(create);
    assertColumns(database, table, columns, dbPath);
  }
}

const ASSIGNMENTS = PATTERN_FIELDS.slice(1);

/** Rows that are equal already keep their `updated_at`. */
const UPSERT = `INSERT INTO patterns (${PATTERN_FIELDS.join(", ")})
VALUES (${PATTERN_FIELDS.map(() => "?").join(", ")})
ON CONFLICT (id) DO UPDATE SET ${ASSIGNMENTS.map((field) => `${field} = excluded.${field}`).join(", ")}, updated_at = CURRENT_TIMESTAMP
WHERE (${ASSIGNMENTS.join(", ")}) IS NOT (${ASSIGNMENTS.map((field) => `excluded.${field}`).join(", ")})`;

function upsert(database: Database, rows: PatternRow[]): void {
  const statement = database.prepare(UPSERT);
  for (const row of rows) statement.run(row);
}

/** A queued use whose pattern is neither in the library nor in the database has nothing to refer to. */
function writeUsage(database: Database, library: PatternLibrary, result: SaveResult): void {
  const insert = database.prepare(
    `INSERT INTO pattern_usage (pattern_id, agent_id, success, used_at)
     SELECT id, ?, ?, ? FROM patterns WHERE id = ?`,
  );
  for (const usage of library.pendingUsage) {
    const { changes } = insert.run(usage.agent_id, usage.success ? 1 : 0, usage.used_at, usage.pattern_id);
    result.usageRows += changes;
    result.removedUsageRows += 1 - changes;
  }
}
