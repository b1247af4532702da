import { committing } from "../errors/storage_errors.ts";
import { inStretches, type Waits, waitWhileBusy, withoutWaiting } from "./busy.ts";
import type { Database, Statement } from "./open_database.ts";

/**
 * Runs work in one write transaction. The lock is taken at its beginning (`BEGIN IMMEDIATE`): a transaction that turns
 * from reading to writing fails at once where another connection writes, however long it would wait.
 */
export class WriteTransaction {
  readonly #database: Database;
  readonly #waits: Waits;
  readonly #begin: Statement<[]>;
  readonly #commit: Statement<[]>;
  readonly #rollback: Statement<[]>;

  /** @param waits For other writers before the work and, for readers, after it. */
  constructor(database: Database, waits: Waits) {
    this.#database = database;
    this.#waits = waits;
    this.#begin = database.prepare("BEGIN IMMEDIATE");
    this.#commit = database.prepare("COMMIT");
    this.#rollback = database.prepare("ROLLBACK");
  }

  /** All that `work` does is stored, or nothing. It runs once: what it takes its data from may not be there twice. */
  run<Result>(work: () => Result): Result {
    waitWhileBusy(this.#waits.timeoutMs, () => inStretches(this.#database, this.#waits, () => this.#begin.run()));
    return this.#finish(work);
  }

  /** Does not wait for other writers: while one is at work, nothing happens and the error says "busy". */
  runAtOnce<Result>(work: () => Result): Result {
    withoutWaiting(this.#database, this.#waits, () => this.#begin.run());
    return this.#finish(work);
  }

  #finish<Result>(work: () => Result): Result {
    try {
      const result = work();
      committing(() => waitWhileBusy(this.#waits.timeoutMs, () => this.#commit.run()));
      return result;
    } finally {
      if (this.#database.inTransaction) this.#rollback.run();
    }
  }
}
