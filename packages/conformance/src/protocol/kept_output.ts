/** Bytes that are kept from the beginning of an output, and as many from its end. */
const HALF = 4096;

/** The first and last 4 KiB of an output, so that later output does not displace an error at its beginning. */
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
    // A character that was cut would appear as a replacement character on either side.
    const head = new TextDecoder().decode(this.#head, { stream: true });
    const start = this.#tail.findIndex((byte) => (byte & 0xc0) !== 0x80);
    return `${head}\n…\n${this.#tail.subarray(Math.max(0, start)).toString("utf8")}`;
  }
}

/**
 * Recent output of a program to its standard error. An adapter runs hundreds of cases: output of earlier requests,
 * perhaps of an error that it survived, must not appear as the cause of a later crash.
 * @example const kept = new KeptOutput(); kept.add(Buffer.from("Error: first\n")); kept.text(); // "Error: first\n"
 */
export class KeptOutput {
  #before = new Stretch();
  #now = new Stretch();

  /** Marks the start of a request: later output belongs to it. */
  begin(): void {
    if (this.#now.isEmpty) return;
    this.#before = this.#now;
    this.#now = new Stretch();
  }

  add(chunk: Buffer): void {
    this.#now.add(chunk);
  }

  /**
   * The output since the last request; without any, the output before it, because a program may crash after its answer.
   * A long text is shortened to its first and last 4 KiB, with `…` in between.
   */
  text(): string {
    return (this.#now.isEmpty ? this.#before : this.#now).text();
  }
}
