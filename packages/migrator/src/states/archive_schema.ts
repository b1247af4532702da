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
export const ARCHIVE_TABLES: readonly string[] = ["sqlar", "entries", "directory", "states"];
