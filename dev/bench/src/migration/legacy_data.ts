import Database from "better-sqlite3";

/** Pre-16 layouts that the rows compare. */
export type LegacyLayout = "documented-15" | "field-a";

const SCHEMAS: Record<LegacyLayout, { table: string; further: string; metadata: string; indexes: string }> = {
  "documented-15": {
    table: "interactions",
    further: "",
    metadata: "",
    indexes:
      "CREATE INDEX idx_interactions_user ON interactions(user_id); CREATE INDEX idx_interactions_timestamp ON interactions(timestamp)",
  },
  "field-a": {
    table: "metrics",
    further: ", metadata TEXT",
    metadata: `, CASE WHEN n % 4 = 0 THEN '{"agent": "a' || (n % 100) || '", "n": ' || n || '}' END`,
    indexes:
      "CREATE INDEX idx_user_level ON metrics(user_id, empathy_level); CREATE INDEX idx_timestamp ON metrics(timestamp)",
  },
};

/** Makes a database as a pre-16 program leaves it: 20,000 users, one row in four with metadata in the field layout. */
export function makeLegacyDatabase(path: string, layout: LegacyLayout, rows: number): void {
  const { table, further, metadata, indexes } = SCHEMAS[layout];
  const database = new Database(path);
  database.pragma("journal_mode = OFF");
  database.pragma("synchronous = OFF");
  database.exec(`CREATE TABLE ${table} (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL,
    empathy_level INTEGER NOT NULL, success BOOLEAN NOT NULL, response_time_ms REAL,
    timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP${further});
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows})
    INSERT INTO ${table} SELECT n, 'user_' || (n * 7919 % 20011), 1 + n % 5, n % 2, (n * 31 % 100000) / 10.0,
      datetime(1600000000 + n, 'unixepoch')${metadata} FROM numbers;
    ${indexes}`);
  database.close();
}
