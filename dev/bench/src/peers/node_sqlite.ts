import { DatabaseSync } from "node:sqlite";
import { INSERT, SCHEMA } from "./bare_driver.ts";

/** The driver of Node.js, used like the plain driver. */
export class NodeSqlite {
  readonly #database: DatabaseSync;
  readonly #insert: ReturnType<DatabaseSync["prepare"]>;

  constructor(path: string, synchronous: "FULL" | "NORMAL") {
    this.#database = new DatabaseSync(path);
    this.#database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; ${SCHEMA}`);
    this.#insert = this.#database.prepare(INSERT);
  }

  record(userId: string, level: number, success: boolean, responseTimeMs: number): void {
    this.#insert.run(userId, level, success ? 1 : 0, responseTimeMs);
  }

  close(): void {
    this.#database.close();
  }
}
