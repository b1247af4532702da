import { assertPromises } from "./checksums.ts";
import type { Promised } from "./checksums.ts";
import { assertConditions } from "./conditions.ts";
import type { Conditions } from "./conditions.ts";
import type { ContentRange } from "./content_range.ts";
import type { Description } from "./describing.ts";
import { Incoming, QUANTUM } from "./incoming.ts";
import { invalid } from "./refusal.ts";
import type { Refusal } from "./refusal.ts";
import type { Store, StoredObject } from "./store.ts";

/** A resumable upload: it keeps the received bytes, and makes an object of them once it is complete. */
export class ResumableSession {
  state: "open" | "done" | "cancelled" | "failed" = "open";
  stored: StoredObject | undefined;
  readonly #store: Store;
  readonly #description: Description;
  readonly #conditions: Conditions;
  readonly #incoming: Incoming;
  #total: number | undefined;

  /** @param total The size announced by `X-Upload-Content-Length`. */
  constructor(store: Store, description: Description, conditions: Conditions, total: number | undefined) {
    this.#store = store;
    this.#description = description;
    this.#conditions = conditions;
    this.#total = total;
    this.#incoming = new Incoming(store);
  }

  /** Number of stored bytes. */
  get received(): number {
    return this.#incoming.size;
  }

  /** Receives a piece of the object; the last one completes it. */
  async take(
    range: ContentRange,
    length: number | undefined,
    body: AsyncIterable<Buffer>,
    promised: Promised,
  ): Promise<void> {
    const { first = 0, last, total } = range;
    this.#agree(total);
    if (last !== undefined && length !== undefined && last - first + 1 !== length)
      throw invalid(
        `Invalid request. The Content-Range has ${last - first + 1} bytes, but the Content-Length is ${length}.`,
      );
    if (first > this.received) throw invalid(`Invalid request. There are only ${this.received} bytes, not ${first}.`);
    const end = last === undefined ? undefined : last + 1;
    const isFinal = end === undefined || end === total;
    if (!isFinal && end - first < QUANTUM) throw tooShort(end - first);
    const arrived = await this.#keep(first, isFinal, body);
    if (end !== undefined && arrived !== end - first)
      throw invalid(`Invalid request. The body has ${arrived} bytes, expected ${end - first}.`);
    if (!isFinal) return;
    this.#agree(first + arrived);
    await this.finish(promised);
  }

  /** Completes the object. */
  async finish(promised: Promised = {}): Promise<void> {
    await this.#incoming.end();
    const { described, promised: before } = this.#description;
    try {
      assertPromises(this.#incoming.checksums, before, promised);
      assertConditions(this.#conditions, this.#store.find(described.bucket, described.name));
    } catch (error) {
      this.state = "failed";
      throw error;
    }
    this.stored = this.#store.put(described, this.#incoming.file, this.received, this.#incoming.checksums);
    this.state = "done";
  }

  async cancel(): Promise<void> {
    this.state = "cancelled";
    await this.#incoming.end();
  }

  /** Stores new bytes. Before the end only whole multiples of 256 KiB are kept, also when the connection breaks. */
  async #keep(first: number, isFinal: boolean, body: AsyncIterable<Buffer>): Promise<number> {
    let known = this.received - first;
    let arrived = 0;
    let waiting = Buffer.alloc(0);
    for await (const piece of body) {
      arrived += piece.length;
      const fresh = piece.subarray(Math.min(known, piece.length));
      known -= piece.length - fresh.length;
      waiting = Buffer.concat([waiting, fresh]);
      const whole = waiting.length - (waiting.length % QUANTUM);
      await this.#incoming.add(waiting.subarray(0, whole));
      waiting = waiting.subarray(whole);
    }
    if (isFinal) await this.#incoming.add(waiting);
    return arrived;
  }

  #agree(total: number | undefined): void {
    if (total === undefined) return;
    if (this.#total !== undefined && this.#total !== total)
      throw invalid(`Invalid request. The total is ${total} bytes, but ${this.#total} bytes were announced.`);
    this.#total = total;
  }
}

function tooShort(bytes: number): Refusal {
  return invalid(
    `Invalid request.  The number of bytes uploaded is required to be equal or greater than ${QUANTUM}, except for the ` +
      `final request (it's recommended to be the exact multiple of ${QUANTUM}).  The received request contained ${bytes} ` +
      "bytes, which does not meet this requirement.",
  );
}
