import { committing } from "../errors/storage_errors.ts";
import { inStretches, waitWhileBusy, withoutWaiting } from "./busy.ts";
import type { Database, Statement } from "./open_database.ts";

/**
 * Runs work in one write transaction. The lock is taken at its beginning (`BEGIN IMMEDIATE`): a transaction that turns
 * from reading to writing fails at once where another connection writes, however long it would wait.
 */
export class WriteTransaction {
  readonly #database: Database;
  readonly #timeoutMs: number;
  readonly #usualMs: number;
  readonly #begin: Statement<[]>;
  readonly #commit: Statement<[]>;
  readonly #rollback: Statement<[]>;

  /**
   * @param timeoutMs The longest wait for other writers before the work and, for readers, after it.
   * @param usualMs How long SQLite itself waits on this connection.
   */
  constructor(database: Database, timeoutMs: number, usualMs: number = timeoutMs) {
    this.#database = database;
    this.#timeoutMs = timeoutMs;
    this.#usualMs = usualMs;
    this.#begin = database.prepare("BEGIN IMMEDIATE");
    this.#commit = database.prepare("COMMIT");
    this.#rollback = database.prepare("ROLLBACK");
  }

  /** All that `work` does is stored, or nothing. It runs once: what it takes its data from may not be there twice. */
  run<Result>(work: () => Result): Result {
    waitWhileBusy(this.#timeoutMs, () => inStretches(this.#database, this.#usualMs, () => this.#begin.run()));
    return this.#finish(work);
  }

  /** Does not wait for other writers: while one is at work, nothing happens and the error says "busy". */
  runAtOnce<Result>(work: () => Result): Result {
    withoutWaiting(this.#database, this.#usualMs, () => this.#begin.run());
    return this.#finish(work);
  }

  #finish<Result>(work: () => Result): Result {
    try {
      const result = work();
      committing(() => waitWhileBusy(this.#timeoutMs, () => this.#commit.run()));
      return result;
    } finally {
      if (this.#database.inTransaction) this.#rollback.run();
    }
  }
}
