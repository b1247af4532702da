import { closeSync, fdatasync, openSync } from "node:fs";

/** Bytes that are written between two requests to sync. */
const INTERVAL = 1 << 22;

/**
 * Maximum number of files that are kept open for pending requests. A program that saves repeatedly without returning to
 * the event loop would otherwise keep one more file open after each save.
 */
const MOST_FILES = 4;

let openFiles = 0;

/**
 * Asks the disk to write a long file while the program still produces it, so that the final sync takes less time. The
 * requests are only hints: durability does not depend on them.
 */
export class EarlySync {
  readonly #path: string;
  /**
   * A second descriptor, because a request needs an open one until it completes, and the caller closes the first one
   * earlier.
   */
  #descriptor: number | undefined;
  #written = 0;
  #pending = 0;
  #over = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Counts bytes that were written. */
  wrote(bytes: number): void {
    this.#written += bytes;
    // Windows does not rename a file that is open.
    if (this.#written < INTERVAL || process.platform === "win32") return;
    this.#written = 0;
    const descriptor = (this.#descriptor ??= this.#open());
    if (descriptor === undefined) return;
    this.#pending += 1;
    fdatasync(descriptor, () => {
      this.#pending -= 1;
      this.#closeWhenDone();
    });
  }

  /** Called after the last byte was written. */
  end(): void {
    this.#over = true;
    this.#closeWhenDone();
  }

  #open(): number | undefined {
    if (openFiles >= MOST_FILES) return undefined;
    try {
      const descriptor = openSync(this.#path, "r");
      openFiles += 1;
      return descriptor;
    } catch {
      // This user may not read the file, or too many files are open.
      return undefined;
    }
  }

  #closeWhenDone(): void {
    if (!this.#over || this.#pending > 0 || this.#descriptor === undefined) return;
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
    openFiles -= 1;
  }
}
