import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { type Waits, withPatience } from "./busy.ts";
import type { Database } from "./open_database.ts";

/** From this size on a log is emptied, in bytes. SQLite alone keeps it at a quarter of that without long reads. */
const LARGE = 64 * 1024 * 1024;
/** Rows between two looks at the size. */
const ROWS_BETWEEN = 256;
/** A writer waits for so long for readers to end, and then not again for the other time, in milliseconds. */
const [PATIENCE_MS, PAUSE_MS] = [50, 5000];

/**
 * Empties a write-ahead log that grew large. SQLite restarts a log only at a moment without readers of it: with overlapping
 * readers the file would grow without limit, and after a long read it would stay large. So a writer sometimes blocks other
 * writers for a moment, until the current readers have ended.
 */
export class LargeLog {
  readonly #database: Database;
  readonly #waits: Waits;
  readonly #path: string | undefined;
  #rows = 0;
  #notBefore = 0;

  constructor(database: Database, path: string, waits: Waits) {
    this.#database = database;
    this.#waits = waits;
    // The program may go to another directory.
    this.#path = path === ":memory:" ? undefined : resolve(path);
  }

  /**
   * To be called after rows were stored; never fails.
   *
   * @param mayWait False where the caller does not wait for others: it is emptied if that can be done at once.
   */
  wrote(rows: number, mayWait: boolean): void {
    this.#rows += rows;
    if (this.#rows < ROWS_BETWEEN || this.#path === undefined) return;
    this.#rows = 0;
    const now = performance.now();
    if (now < this.#notBefore) return;
    try {
      // The log is next to the file itself, not to a link to it.
      const found = statSync(`${realpathSync(this.#path)}-wal`, { throwIfNoEntry: false });
      if (found === undefined || found.size < LARGE) return;
      this.#notBefore = now + PAUSE_MS;
      withPatience(this.#database, mayWait ? PATIENCE_MS : 0, this.#waits, () =>
        this.#database.pragma("wal_checkpoint(TRUNCATE)"),
      );
    } catch {
      // The rows are stored. What is wrong with the disk is said when it is needed.
    }
  }
}
