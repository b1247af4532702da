import { CorruptDataError } from "@perdura/internals/errors/errors.js";
import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../../core/stop.ts";

/**
 * Opens an archive to read it.
 *
 * @throws CorruptDataError if perdura-migrate did not make it; the driver's error if the file cannot be read.
 */
export function openArchive(path: string): Database {
  const archive = openDatabase(path, { intent: "read" });
  try {
    if (!hasTables(archive))
      throw new CorruptDataError("expected an archive of perdura-migrate, found another database.", { path });
    // Access is sequential or to single rows: a larger cache does not help.
    archive.pragma("cache_size = -1024");
    return archive;
  } catch (error) {
    archive.close();
    throw error;
  }
}

/** True if perdura-migrate made the archive. */
export function isArchive(path: string): boolean {
  try {
    openArchive(path).close();
    return true;
  } catch {
    return false;
  }
}

function hasTables(archive: Database): boolean {
  return ARCHIVE_TABLES.every((table) => hasTable(archive, table) && !hasComputedColumns(archive, table));
}

/** An archive stores its contents. A computed column can yield more data than the file has bytes. */
function hasComputedColumns(archive: Database, table: string): boolean {
  return archive.prepare("SELECT 1 FROM pragma_table_xinfo(?, 'main') WHERE hidden <> 0").get(table) !== undefined;
}

/**
 * Converts a fault of an archive that a caller of the API named to an error with its path; returns other errors
 * unchanged.
 */
export function archiveError(error: unknown, archive: string): unknown {
  if (!(error instanceof Stop) || error.status === "interrupted") return error;
  return new CorruptDataError(error.message, { path: archive, cause: error });
}

/** The value of `user_version` of an archive whose entries the directory still has. */
export const UNPRUNED = 16;

/**
 * The tables of an archive. `sqlar` is the standard table of SQLite archives, so the stock `sqlite3 -A` lists and
 * extracts it; `entries` keeps what that table cannot (times to the nanosecond, owners, checksums); `directory` is the
 * archived directory itself; `states` shows the fields of specification section 2.8, one row per state file. The mark of
 * `prune` is in `user_version` (`pruned_mark.ts`).
 *
 * The rows of `sqlar` are files and links first and then directories, the deepest first: the stock program extracts in
 * that order, and would fail at the files of a directory that it had already made read-only.
 *
 * Links are stored in `sqlar` so that a stock program of 2022 extracts them as well. Their size is that of the target's
 * name: with -1, which the program itself writes, it stops ("error in uncompress"). Their time is -1, "not to be set":
 * it sets times through links, so it would stop at a dangling link, and change the time of a file outside of the
 * directory.
 */
export const ARCHIVE_SCHEMA: string = `
CREATE TABLE sqlar (
    name TEXT PRIMARY KEY,
    mode INT,
    mtime INT,
    sz INT,
    data BLOB
);
CREATE TABLE entries (
    name TEXT PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('file', 'directory', 'link')),
    mtime_ns INTEGER NOT NULL,
    uid INTEGER NOT NULL,
    gid INTEGER NOT NULL,
    sha256 TEXT
) WITHOUT ROWID;
CREATE TABLE directory (
    mode INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    uid INTEGER NOT NULL,
    gid INTEGER NOT NULL
);
CREATE TABLE states (
    file TEXT PRIMARY KEY,
    user_id TEXT,
    trust_level REAL,
    current_level INTEGER,
    target_level INTEGER,
    interaction_count INTEGER,
    success_count INTEGER,
    failure_count INTEGER,
    last_interaction TEXT,
    created_at TEXT,
    extra TEXT,
    sha256 TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('ok', 'broken')),
    reason TEXT
) WITHOUT ROWID;
PRAGMA user_version = ${UNPRUNED};
`;

/** Created after the rows are inserted, which is faster than updating it for each row. */
export const ARCHIVE_INDEXES = "CREATE INDEX states_user ON states(user_id)";

/** Tables that identify an archive of perdura-migrate. */
const ARCHIVE_TABLES: readonly string[] = ["sqlar", "entries", "directory", "states"];

/** Finds owners that cannot be given to a file: the greatest number of 32 bits means "do not change the owner". */
const OWNERS =
  "typeof(uid) <> 'integer' OR typeof(gid) <> 'integer' OR uid NOT BETWEEN 0 AND 4294967294 OR gid NOT BETWEEN 0 AND 4294967294";

/** Row counts that every archive has, with the fault that another count means. */
const COUNTS: readonly (readonly [sql: string, rows: number, meaning: string])[] = [
  ["SELECT count(*) FROM directory", 1, "the table directory of the archive does not have exactly one row"],
  [
    `SELECT count(*) FROM directory WHERE typeof(mtime_ns) <> 'integer' OR typeof(mode) <> 'integer' OR mode >> 12 <> 4 OR ${OWNERS}`,
    0,
    "the table directory of the archive has an invalid value",
  ],
  [
    `SELECT count(*) FROM entries WHERE typeof(name) <> 'text' OR typeof(mtime_ns) <> 'integer' OR ${OWNERS}
    OR typeof(sha256) <> iif(kind = 'directory', 'null', 'text')`,
    0,
    "the table entries of the archive has an invalid value",
  ],
  [
    "SELECT (SELECT count(*) FROM sqlar) - (SELECT count(*) FROM sqlar JOIN entries USING (name))",
    0,
    "the table entries of the archive lacks rows",
  ],
  [
    "SELECT (SELECT count(*) FROM entries) - (SELECT count(*) FROM sqlar JOIN entries USING (name))",
    0,
    "the table sqlar of the archive lacks rows",
  ],
  [
    `SELECT count(*) FROM directory WHERE typeof(mode) <> 'integer' OR mode >> 12 <> 4
    OR typeof(mtime_ns) <> 'integer' OR typeof(uid) <> 'integer' OR typeof(gid) <> 'integer'`,
    0,
    "the table directory of the archive does not describe a directory",
  ],
  [
    `SELECT count(*) FROM entries WHERE typeof(mtime_ns) <> 'integer' OR typeof(uid) <> 'integer'
    OR typeof(gid) <> 'integer'`,
    0,
    "the table entries of the archive has a time or an owner that is not an integer",
  ],
  // POSIX modes: the upper bits contain the kind.
  [
    `SELECT count(*) FROM sqlar JOIN entries USING (name) WHERE typeof(mode) <> 'integer' OR typeof(sz) <> 'integer'
    OR sz < 0 OR typeof(data) <> iif(kind = 'directory', 'null', 'blob')
    OR mode >> 12 <> CASE kind WHEN 'file' THEN 8 WHEN 'directory' THEN 4 ELSE 10 END`,
    0,
    "a row has different kinds in the tables sqlar and entries of the archive",
  ],
  [
    `SELECT count(*) FROM sqlar JOIN entries USING (name) WHERE mtime <> CASE kind WHEN 'link' THEN -1
    ELSE mtime_ns / 1000000000 - (mtime_ns % 1000000000 < 0) END`,
    0,
    "a row has different times in the tables sqlar and entries of the archive",
  ],
  [
    `SELECT count(*) FROM entries LEFT JOIN states ON file = name
    WHERE (file IS NOT NULL) <> (kind <> 'directory' AND name GLOB '*.json' AND instr(name, '/') = 0)`,
    0,
    "the table states of the archive does not have exactly one row for each state file",
  ],
  [
    "SELECT count(*) FROM states LEFT JOIN entries ON name = file WHERE name IS NULL",
    0,
    "the table states of the archive has a row without a file",
  ],
];

/** Fault that shows that the tables of an archive do not belong together, or undefined. Reads no content. */
export function tableFault(archive: Database): string | undefined {
  return COUNTS.find(([sql, rows]) => archive.prepare(sql).pluck().get() !== rows)?.[2];
}
