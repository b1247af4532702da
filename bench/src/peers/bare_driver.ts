import Database from "better-sqlite3";

/** The driver alone: one connection, one prepared insert, the same table and indexes, the same durability. */
export class BareDriver {
  readonly #database: Database.Database;
  readonly #insert: Database.Statement;

  constructor(path: string, synchronous: "FULL" | "NORMAL") {
    this.#database = new Database(path);
    this.#database.pragma("journal_mode = WAL");
    this.#database.pragma(`synchronous = ${synchronous}`);
    this.#database.exec(`CREATE TABLE interactions (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL,
      level INTEGER NOT NULL, success BOOLEAN NOT NULL, response_time_ms REAL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
      CREATE INDEX idx_interactions_user ON interactions(user_id);
      CREATE INDEX idx_interactions_timestamp ON interactions(timestamp)`);
    this.#insert = this.#database.prepare(
      "INSERT INTO interactions (user_id, level, success, response_time_ms) VALUES (?, ?, ?, ?)",
    );
  }

  record(userId: string, level: number, success: boolean, responseTimeMs: number): void {
    this.#insert.run(userId, level, success ? 1 : 0, responseTimeMs);
  }

  close(): void {
    this.#database.close();
  }
}
