import { once } from "node:events";
import type { WriteStream } from "node:fs";
import { Checksums } from "./checksums.ts";
import type { Exchange } from "./exchange.ts";
import type { Fault } from "./faults.ts";
import type { Store } from "./store.ts";

/** Unit of an unfinished upload: the store keeps whole multiples of it. */
export const QUANTUM: number = 256 * 1024;

/** Received bytes of an object, in a file from the first byte on. */
export class Incoming {
  readonly file: string;
  readonly checksums: Checksums = new Checksums();
  size = 0;
  readonly #stream: WriteStream;

  constructor(store: Store) {
    const { path, stream } = store.newFile();
    this.file = path;
    this.#stream = stream;
  }

  async add(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    this.checksums.add(bytes);
    this.size += bytes.length;
    if (!this.#stream.write(bytes)) await once(this.#stream, "drain");
  }

  async end(): Promise<void> {
    this.#stream.end();
    if (!this.#stream.closed) await once(this.#stream, "close");
  }
}

/**
 * The body of a request as it arrives, with the injected fault: a flipped bit or an abort. An aborted body throws, as
 * it does without a fault.
 */
export async function* arriving({ request, fault }: Exchange): AsyncGenerator<Buffer> {
  let left = fault?.kind === "resetAfter" ? fault.bytes : Infinity;
  let corrupt = isCorrupting(fault);
  for await (const piece of request as AsyncIterable<Buffer>) {
    const taken = piece.subarray(0, Math.min(piece.length, left));
    if (corrupt && taken.length > 0) {
      taken[0] = (taken[0] as number) ^ 1;
      corrupt = false;
    }
    left -= taken.length;
    yield taken;
    if (left <= 0) throw new Error("aborted on purpose");
  }
}

/** True if the fault flips a bit of the upload. */
export function isCorrupting(fault: Fault | undefined): boolean {
  return fault?.kind === "corruptUpload" || fault?.kind === "corruptUnseen";
}
