/** Enough for a short file; a long one is written in larger pieces, which is a tenth faster. */
const SHORT = 1 << 16;
const LONG = 1 << 21;

/** Gathers text and bytes, so that few and large pieces go to the disk. */
export class WriteBuffer {
  readonly #put: (bytes: Uint8Array) => void;
  #buffer = Buffer.allocUnsafeSlow(SHORT);
  #filled = 0;

  /** @param put Writes bytes; it must not keep them. */
  constructor(put: (bytes: Uint8Array) => void) {
    this.#put = put;
  }

  add(chunk: string | Uint8Array): void {
    // No character of UTF-16 takes more than three bytes.
    const most = typeof chunk === "string" ? 3 * chunk.length : chunk.length;
    if (most > this.#buffer.length - this.#filled) this.#makeRoom();
    if (most > this.#buffer.length) this.#put(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    else if (typeof chunk === "string") this.#filled += this.#buffer.write(chunk, this.#filled);
    else {
      this.#buffer.set(chunk, this.#filled);
      this.#filled += chunk.length;
    }
  }

  /** Writes what is gathered. */
  flush(): void {
    if (this.#filled === 0) return;
    this.#put(this.#buffer.subarray(0, this.#filled));
    this.#filled = 0;
  }

  /** Gives the memory back now: it is much for the collector of garbage to have lying about. Nothing can be added then. */
  free(): void {
    this.#buffer.buffer.transfer(0);
  }

  #makeRoom(): void {
    this.flush();
    if (this.#buffer.length === LONG) return;
    this.free();
    this.#buffer = Buffer.allocUnsafeSlow(LONG);
  }
}
