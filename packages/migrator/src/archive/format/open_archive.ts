import { CorruptDataError } from "@perdura/internals/errors/errors.js";
import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../../core/stop.ts";

/**
 * Opens an archive to read it.
 *
 * @throws CorruptDataError when it is none that perdura-migrate made; whatever the driver says of a file that cannot be read.
 */
export function openArchive(path: string): Database {
  const archive = openDatabase(path, { access: "read" });
  try {
    if (!hasTables(archive))
      throw new CorruptDataError("expected an archive that perdura-migrate made, found another database.", { path });
    // It is gone through in order, or looked into here and there: more would only be held.
    archive.pragma("cache_size = -1024");
    return archive;
  } catch (error) {
    archive.close();
    throw error;
  }
}

/** True when the file is an archive that perdura-migrate made. */
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

/** An archive stores its contents. What is computed instead can be endlessly more than there are bytes. */
function hasComputedColumns(archive: Database, table: string): boolean {
  return archive.prepare("SELECT 1 FROM pragma_table_xinfo(?, 'main') WHERE hidden <> 0").get(table) !== undefined;
}

/** What is wrong with an archive that a caller of the library named, as an error that names it; any other error as it is. */
export function archiveError(error: unknown, archive: string): unknown {
  if (!(error instanceof Stop) || error.status === "interrupted") return error;
  return new CorruptDataError(error.message, { path: archive, cause: error });
}

/**
 * The tables of an archive. `sqlar` is the standard table of SQLite archives, so that the stock `sqlite3 -A` lists and
 * extracts it; `entries` keeps what that table cannot (times to the nanosecond, owners, checksums); `directory` is the
 * archived directory itself; `states` shows the fields of specification section 2.8, one row per state file.
 *
 * The rows of `sqlar` are files and links first and then directories, the deepest first: the stock program extracts in that
 * order, and would stop at the files of a directory that it had made read-only.
 *
 * Links are stored in `sqlar` so that a stock program of 2022 extracts them as well. Their size is that of the target's
 * name: with -1, which the program itself writes, it stops ("error in uncompress"). Their time is -1, "not to be set": it
 * sets times through links, so it would stop at one that leads nowhere, and change the time of a file that lies elsewhere.
 */
export const ARCHIVE_SCHEMA = `
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
PRAGMA user_version = 16;
`;

/** Built when the rows are in: that is quicker than keeping it up. */
export const ARCHIVE_INDEXES = "CREATE INDEX states_user ON states(user_id)";

/** The tables by which an archive of perdura-migrate is known. */
const ARCHIVE_TABLES: readonly string[] = ["sqlar", "entries", "directory", "states"];

/** What can be given to a file: the greatest number of 32 bits stands for "leave the owner as it is". */
const OWNERS =
  "typeof(uid) <> 'integer' OR typeof(gid) <> 'integer' OR uid NOT BETWEEN 0 AND 4294967294 OR gid NOT BETWEEN 0 AND 4294967294";

/** How many rows each of these may have is known, and what it means when it has others. */
const COUNTS: readonly (readonly [sql: string, rows: number, meaning: string])[] = [
  ["SELECT count(*) FROM directory", 1, "the table directory of the archive has not one row"],
  [
    `SELECT count(*) FROM directory WHERE typeof(mtime_ns) <> 'integer' OR typeof(mode) <> 'integer' OR mode >> 12 <> 4 OR ${OWNERS}`,
    0,
    "the table directory of the archive holds what it cannot hold",
  ],
  [
    `SELECT count(*) FROM entries WHERE typeof(name) <> 'text' OR typeof(mtime_ns) <> 'integer' OR ${OWNERS}
    OR typeof(sha256) <> iif(kind = 'directory', 'null', 'text')`,
    0,
    "the table entries of the archive holds what it cannot hold",
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
    "the table entries of the archive has a time or an owner that is no number",
  ],
  // Modes are those of POSIX: the kind is in the upper bits.
  [
    `SELECT count(*) FROM sqlar JOIN entries USING (name) WHERE typeof(mode) <> 'integer' OR typeof(sz) <> 'integer'
    OR sz < 0 OR typeof(data) <> iif(kind = 'directory', 'null', 'blob')
    OR mode >> 12 <> CASE kind WHEN 'file' THEN 8 WHEN 'directory' THEN 4 ELSE 10 END`,
    0,
    "the table sqlar of the archive has a row of another kind than the table entries",
  ],
  [
    `SELECT count(*) FROM sqlar JOIN entries USING (name) WHERE mtime <> CASE kind WHEN 'link' THEN -1
    ELSE mtime_ns / 1000000000 - (mtime_ns % 1000000000 < 0) END`,
    0,
    "the table sqlar of the archive has a time that is not the one in the table entries",
  ],
  [
    `SELECT count(*) FROM entries LEFT JOIN states ON file = name
    WHERE (file IS NOT NULL) <> (kind <> 'directory' AND name GLOB '*.json' AND instr(name, '/') = 0)`,
    0,
    "the table states of the archive has not one row for each state file",
  ],
  [
    "SELECT count(*) FROM states LEFT JOIN entries ON name = file WHERE name IS NULL",
    0,
    "the table states of the archive has a row without a file",
  ],
];

/** What shows that the tables of an archive do not belong together, or undefined. No content is read. */
export function tableFault(archive: Database): string | undefined {
  return COUNTS.find(([sql, rows]) => archive.prepare(sql).pluck().get() !== rows)?.[2];
}
