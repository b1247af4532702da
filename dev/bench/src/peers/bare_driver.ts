import { INTERACTION_INDEXES, interactionsTable } from "@perdura/internals/metrics/schema.js";
import type { InteractionRecord } from "@perdura/v16";
import Database from "better-sqlite3";

export const INSERT = "INSERT INTO interactions (user_id, level, success, response_time_ms) VALUES (?, ?, ?, ?)";

/** The table and indexes of perdura's recording. */
export const SCHEMA: string = [interactionsTable("level"), ...Object.values(INTERACTION_INDEXES)].join(";");

/** A driver used plainly: one connection, one prepared insert, the same table and indexes, the same durability. */
export class BareDriver {
  readonly #database: Database.Database;
  readonly #insert: Database.Statement;

  /**
   * @param Driver better-sqlite3, or a driver with the same methods.
   * @param prepare Statements before the first insert.
   */
  constructor(
    path: string,
    synchronous: "FULL" | "NORMAL",
    Driver: typeof Database = Database,
    prepare: string = `PRAGMA journal_mode = WAL; ${SCHEMA}`,
  ) {
    this.#database = new Driver(path);
    this.#database.exec(`PRAGMA synchronous = ${synchronous}; ${prepare}`);
    this.#insert = this.#database.prepare(INSERT);
  }

  /** Opens a database that has a write-ahead log and the tables, with the settings of perdura. */
  static ofFile(path: string): BareDriver {
    return new BareDriver(
      path,
      "FULL",
      Database,
      "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = 4000",
    );
  }

  record(userId: string, level: number, success: boolean, responseTimeMs: number): void {
    this.#insert.run(userId, level, success ? 1 : 0, responseTimeMs);
  }

  /** All in one transaction. */
  recordMany(records: Iterable<InteractionRecord>): void {
    this.#database.transaction(() => {
      for (const { user_id, level, success, response_time_ms } of records)
        this.#insert.run(user_id, level, success ? 1 : 0, response_time_ms);
    })();
  }

  close(): void {
    this.#database.close();
  }
}
