import { trackUncertainCommit } from "../files/storage_errors.ts";
import { withSlicedWaits, type Waits, waitWhileBusy, withoutWaiting } from "./busy.ts";
import type { Database } from "./open_database.ts";

/**
 * Runs work in one write transaction. The lock is taken at its beginning (`BEGIN IMMEDIATE`): a transaction that
 * changes from reading to writing fails at once if another connection writes, whatever its time-out is.
 */
export class WriteTransaction {
  readonly #database: Database;
  readonly #waits: Waits;

  /** @param waits Waits for other writers at the beginning, and for readers at the commit. */
  constructor(database: Database, waits: Waits) {
    this.#database = database;
    this.#waits = waits;
  }

  /** Stores all changes of `work`, or none. `work` runs once, because its input may be readable only once. */
  run<Result>(work: () => Result): Result {
    waitWhileBusy(this.#waits.timeoutMs, () => withSlicedWaits(this.#database, this.#waits, () => this.#begin()));
    return this.#finish(work);
  }

  /**
   * Works like `run`, but does not wait for other writers: if another connection writes, SQLite's "busy" error is
   * thrown and nothing is changed.
   */
  runAtOnce<Result>(work: () => Result): Result {
    withoutWaiting(this.#database, this.#waits, () => this.#begin());
    return this.#finish(work);
  }

  #begin(): void {
    this.#database.exec("BEGIN IMMEDIATE");
  }

  #finish<Result>(work: () => Result): Result {
    try {
      const result = work();
      trackUncertainCommit(() => waitWhileBusy(this.#waits.timeoutMs, () => this.#database.exec("COMMIT")));
      return result;
    } finally {
      if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
    }
  }
}
