/** Bytes that are kept of the beginning of an output, and as many of its end. */
const HALF = 4096;

/** The first and the last 4 KiB of one stretch of output: an error at its beginning survives any noise after it. */
class Stretch {
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);
  #dropped = false;

  add(chunk: Buffer): void {
    const room = HALF - this.#head.length;
    if (room > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, room)]);
    if (chunk.length <= room) return;
    const tail = Buffer.concat([this.#tail, chunk.subarray(room)]);
    this.#dropped ||= tail.length > HALF;
    this.#tail = tail.subarray(-HALF);
  }

  get isEmpty(): boolean {
    return this.#head.length === 0;
  }

  text(): string {
    if (!this.#dropped) return Buffer.concat([this.#head, this.#tail]).toString("utf8");
    // A cut inside a character would show as a replacement character on either side.
    const head = new TextDecoder().decode(this.#head, { stream: true });
    const start = this.#tail.findIndex((byte) => (byte & 0xc0) !== 0x80);
    return `${head}\n…\n${this.#tail.subarray(Math.max(0, start)).toString("utf8")}`;
  }
}

/**
 * What a program lately wrote to its standard error. An adapter lives through hundreds of cases: what it wrote for
 * earlier requests, an error that it got over perhaps, must not stand for why it broke down in this one.
 * @example
 * const kept = new KeptOutput();
 * kept.add(Buffer.from("Error: first\n"));
 * kept.text(); // "Error: first\n"
 */
export class KeptOutput {
  #before = new Stretch();
  #now = new Stretch();

  /** A request goes out: what comes from here on belongs to it. */
  begin(): void {
    if (this.#now.isEmpty) return;
    this.#before = this.#now;
    this.#now = new Stretch();
  }

  add(chunk: Buffer): void {
    this.#now.add(chunk);
  }

  /**
   * What came since the last request; where nothing came, what came before it: a program may break down after its
   * answer. Of a long text the first and the last 4 KiB, with `…` between.
   */
  text(): string {
    return (this.#now.isEmpty ? this.#before : this.#now).text();
  }
}
