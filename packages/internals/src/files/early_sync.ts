import { closeSync, fdatasync, openSync } from "node:fs";

/** How much is written before the disk is told again. */
const INTERVAL = 1 << 22;

/**
 * Files that wait for the disk at once, at the most. A program that saves and saves without ever letting the event loop turn
 * would have one more of them open after each.
 */
const MOST_FILES = 4;

let openFiles = 0;

/**
 * Lets the disk work on a long file while it is still being written, so that syncing it in the end takes less time. It is
 * no more than a hint: whether it comes in time, and whether it succeeds, makes no difference to what is promised.
 */
export class EarlySync {
  readonly #path: string;
  /** Its own: each request needs an open one until it is done, which is after the caller has closed his. */
  #descriptor: number | undefined;
  #written = 0;
  #pending = 0;
  #over = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Notes that so many bytes more were written. */
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

  /** No more is going to be written. */
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
      // A file that its owner may not read, or too many open ones.
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
