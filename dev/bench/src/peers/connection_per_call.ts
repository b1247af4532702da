import Database from "better-sqlite3";

/** The table and the indexes of the original product. */
export const METRICS_TABLE = `CREATE TABLE IF NOT EXISTS metrics (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL,
  empathy_level INTEGER NOT NULL, success BOOLEAN NOT NULL, response_time_ms REAL,
  timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, metadata TEXT)`;
export const METRICS_INDEXES: readonly string[] = [
  "CREATE INDEX IF NOT EXISTS idx_user_level ON metrics(user_id, empathy_level)",
  "CREATE INDEX IF NOT EXISTS idx_timestamp ON metrics(timestamp)",
];

/**
 * Works like the original product: each call opens the file, runs one operation with a rollback journal, and closes it.
 */
export class ConnectionPerCall {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    this.#with((database) => database.exec([METRICS_TABLE, ...METRICS_INDEXES].join(";")));
  }

  record(userId: string, level: number, success: boolean, responseTimeMs: number): void {
    this.#with((database) =>
      database
        .prepare(
          "INSERT INTO metrics (user_id, empathy_level, success, response_time_ms, metadata) VALUES (?, ?, ?, ?, ?)",
        )
        .run(userId, level, success ? 1 : 0, responseTimeMs, null),
    );
  }

  /** The statistics of a user by that product's queries: totals, then a group for each level. */
  userStats(userId: string): unknown[] {
    return this.#with((database) => [
      database
        .prepare(
          `SELECT COUNT(*), SUM(CASE WHEN success THEN 1 ELSE 0 END), AVG(response_time_ms), MIN(timestamp), MAX(timestamp)
           FROM metrics WHERE user_id = ?`,
        )
        .get(userId),
      database
        .prepare("SELECT empathy_level, COUNT(*) FROM metrics WHERE user_id = ? GROUP BY empathy_level")
        .all(userId),
    ]);
  }

  globalStats(): unknown {
    return this.#with((database) =>
      database
        .prepare("SELECT COUNT(DISTINCT user_id), COUNT(*), AVG(CASE WHEN success THEN 1.0 ELSE 0.0 END) FROM metrics")
        .get(),
    );
  }

  allUsers(): unknown[] {
    return this.#with((database) => database.prepare("SELECT DISTINCT user_id FROM metrics ORDER BY user_id").all());
  }

  #with<Result>(use: (database: Database.Database) => Result): Result {
    const database = new Database(this.#path);
    try {
      database.pragma("synchronous = FULL");
      return use(database);
    } finally {
      database.close();
    }
  }
}
