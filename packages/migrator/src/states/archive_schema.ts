/**
 * The tables of an archive. `sqlar` is the standard table of SQLite archives, so that the stock `sqlite3 -A` lists and
 * extracts it; `entries` keeps what that table cannot (times to the nanosecond, checksums); `states` shows the fields of
 * specification section 2.8, one row per state file.
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
    sha256 TEXT
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
);
CREATE INDEX states_user ON states(user_id);
PRAGMA user_version = 16;
`;
