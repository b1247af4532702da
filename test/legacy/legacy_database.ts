import Database from "better-sqlite3";

/** A database to fill; the caller closes it. */
export type Connection = Database.Database;

/** Opens a database for a test. */
export function connect(path: string, options?: Database.Options): Connection {
  return new Database(path, options);
}

/** The documented pre-16 layout. */
export const DOCUMENTED_15 = `
  CREATE TABLE interactions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id TEXT NOT NULL,
    empathy_level INTEGER NOT NULL,
    success BOOLEAN NOT NULL,
    response_time_ms REAL,
    timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP
  );
  CREATE INDEX idx_interactions_user ON interactions(user_id);
  CREATE INDEX idx_interactions_timestamp ON interactions(timestamp);`;

/** Field layout A. */
export const FIELD_A = `
  CREATE TABLE IF NOT EXISTS metrics (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id TEXT NOT NULL,
    empathy_level INTEGER NOT NULL,
    success BOOLEAN NOT NULL,
    response_time_ms REAL,
    timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    metadata TEXT
  );
  CREATE INDEX IF NOT EXISTS idx_user_level ON metrics(user_id, empathy_level);
  CREATE INDEX IF NOT EXISTS idx_timestamp ON metrics(timestamp);`;

/** Field layout B: without levels. */
export const FIELD_B = `
  CREATE TABLE metrics (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id TEXT NOT NULL,
    success BOOLEAN NOT NULL,
    response_time_ms REAL,
    timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    metadata TEXT
  );
  CREATE INDEX idx_user ON metrics(user_id);
  CREATE INDEX idx_timestamp ON metrics(timestamp);`;

/** The tables of patterns of the field programs. */
export const FIELD_PATTERNS = `
  CREATE TABLE IF NOT EXISTS patterns (
    id TEXT PRIMARY KEY,
    agent_id TEXT NOT NULL,
    pattern_type TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    context TEXT,
    code TEXT,
    confidence REAL DEFAULT 0.5,
    usage_count INTEGER DEFAULT 0,
    success_count INTEGER DEFAULT 0,
    failure_count INTEGER DEFAULT 0,
    tags TEXT,
    discovered_at TIMESTAMP,
    last_used TIMESTAMP,
    updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
  );
  CREATE TABLE IF NOT EXISTS pattern_usage (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pattern_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    success BOOLEAN NOT NULL,
    used_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (pattern_id) REFERENCES patterns(id)
  );`;

/** Makes a database with statements. */
export function makeDatabase(path: string, ...statements: string[]): void {
  const database = connect(path);
  for (const statement of statements) database.exec(statement);
  database.close();
}

/** Adds rows to the table of a layout: users `u1` to `u3`, levels 1 to 5, one row in three with metadata in the field layout. */
export function addRows(path: string, table: "interactions" | "metrics", count: number): void {
  const database = connect(path);
  const metadata =
    table === "metrics" ? ["metadata", ", CASE n % 3 WHEN 0 THEN '{\"n\": ' || n || ', \"x\": NaN}' END"] : ["", ""];
  database.exec(`
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
    INSERT INTO ${table} (user_id, empathy_level, success, response_time_ms, timestamp${metadata[0] === "" ? "" : ", metadata"})
    SELECT 'u' || (n % 3 + 1), n % 5 + 1, n % 2, n / 8.0, '2025-10-20 12:00:00'${metadata[1]} FROM numbers`);
  database.close();
}

/** Runs one query and closes. */
export function query<Row>(path: string, sql: string): Row[] {
  const database = connect(path, { readonly: true });
  try {
    return database.prepare(sql).raw().safeIntegers().all() as Row[];
  } finally {
    database.close();
  }
}
