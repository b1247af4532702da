import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { type Waits, withBusyTimeout } from "./busy.ts";
import type { Database } from "./open_database.ts";
import { monotonicMs } from "../runtime/monotonic.ts";

/** Size from which a log is emptied, in bytes. Without long reads, SQLite keeps it at a quarter of that. */
const LARGE = 64 * 1024 * 1024;
/** Number of rows between two checks of the size. */
const ROWS_BETWEEN = 256;
/** Time for which a writer waits for readers to end, and pause before the next attempt, in milliseconds. */
const [PATIENCE_MS, PAUSE_MS] = [50, 5000];

/**
 * Empties a write-ahead log that has become large. SQLite restarts a log only when no reader uses it: with overlapping
 * readers the file would grow without limit, and after a long read it would stay large. So a writer sometimes blocks
 * other writers for a moment, until the current readers have ended.
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
    // An absolute path, because the program may change its working directory.
    this.#path = path === ":memory:" ? undefined : resolve(path);
  }

  /**
   * Must be called after rows were stored; never fails.
   *
   * @param mayWait False if the caller does not wait for other connections: the log is then emptied only if no reader
   * uses it.
   */
  wrote(rows: number, mayWait: boolean): void {
    this.#rows += rows;
    if (this.#rows < ROWS_BETWEEN || this.#path === undefined) return;
    this.#rows = 0;
    const now = monotonicMs();
    if (now < this.#notBefore) return;
    try {
      // The log is next to the file itself, not next to a link to it.
      const found = statSync(`${realpathSync(this.#path)}-wal`, { throwIfNoEntry: false });
      if (found === undefined || found.size < LARGE) return;
      this.#notBefore = now + PAUSE_MS;
      withBusyTimeout(this.#database, mayWait ? PATIENCE_MS : 0, this.#waits, () =>
        this.#database.pragma("wal_checkpoint(TRUNCATE)"),
      );
    } catch {
      // The rows are stored. The next operation reports a problem of the disk.
    }
  }
}
