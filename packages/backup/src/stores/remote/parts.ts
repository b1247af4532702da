import type { Readable } from "node:stream";
import type { Upload } from "../object_store.ts";
import { RemoteFailure } from "./failures.ts";

/** Parts of an object that are in memory and being sent at the same time. */
const AT_ONCE = 2;

/**
 * The bytes of an upload could not be read, which is not a failure of the store and is not retried. The caller gets its
 * `cause`.
 */
export class UnreadableUpload extends Error {
  constructor(cause: unknown) {
    super("the bytes of the upload cannot be read", { cause });
    this.name = "UnreadableUpload";
  }
}

/** The source of an upload has fewer bytes than announced. */
export class ShortUpload extends Error {
  constructor(start: number, length: number, found: number) {
    super(`the source changed during the upload: expected ${length} bytes at offset ${start}, found ${found}`);
    this.name = "ShortUpload";
  }
}

/**
 * Reads a part of an upload into a buffer of its length.
 *
 * @throws UnreadableUpload
 */
export async function readPart(upload: Upload, start: number, into: Buffer): Promise<Buffer> {
  const { length } = into;
  if (length === 0) return into;
  try {
    const bytes = await upload.read(start, length, into);
    if (bytes.length === length) return bytes;
    throw new ShortUpload(start, length, bytes.length);
  } catch (error) {
    throw new UnreadableUpload(error);
  }
}

/**
 * Buffers for parts of an upload, which are reused: V8 releases discarded buffers late, so new ones would add to the
 * memory in use.
 */
export class PartBuffers {
  readonly #size: number;
  readonly #free: Buffer[] = [];

  /** @param size Bytes of the largest part. */
  constructor(size: number) {
    this.#size = size;
  }

  /**
   * Lends a buffer for the duration of a task. The buffer of a failed task is not reused, because a request may still
   * use it.
   */
  async lend<Result>(length: number, task: (buffer: Buffer) => Promise<Result>): Promise<Result> {
    const buffer = this.#free.pop() ?? Buffer.allocUnsafe(this.#size);
    const result = await task(buffer.subarray(0, length));
    this.#free.push(buffer);
    return result;
  }
}

/** Runs a task for each index, two at a time. If one fails, the others are stopped and awaited. */
export async function mapConcurrent<Result>(
  count: number,
  signal: AbortSignal | undefined,
  task: (index: number, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const failed = new AbortController();
  const either = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
  const results: Result[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count && !failed.signal.aborted) {
      const index = next;
      next += 1;
      try {
        results[index] = await task(index, either);
      } catch (error) {
        // The first reason is kept.
        failed.abort(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, work));
  signal?.throwIfAborted();
  failed.signal.throwIfAborted();
  return results;
}

/** One part of an upload. */
export interface Part {
  index: number;
  start: number;
  length: number;
}

/**
 * Sends an upload in parts of equal size and reports the progress.
 *
 * @param send Sends one part, with retries; reads it into a borrowed buffer.
 */
export async function sendParts<Result>(
  upload: Upload,
  partSize: number,
  signal: AbortSignal | undefined,
  send: (part: Part, buffers: PartBuffers, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const buffers = new PartBuffers(partSize);
  let acknowledged = 0;
  return mapConcurrent(Math.ceil(upload.size / partSize), signal, async (index, partSignal) => {
    const start = index * partSize;
    const length = Math.min(partSize, upload.size - start);
    const result = await send({ index, start, length }, buffers, partSignal);
    acknowledged += length;
    upload.sent?.(acknowledged);
    return result;
  });
}

/**
 * Copies the body of an answer into a buffer of the expected length.
 *
 * @throws RemoteFailure when more or fewer bytes arrive.
 */
export async function fill(into: Buffer, body: Readable, signal: AbortSignal): Promise<void> {
  const { length } = into;
  let came = 0;
  const stop = (): void => void body.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      // A try that timed out must not overwrite the bytes of the next one.
      signal.throwIfAborted();
      if (came + piece.length > length) throw new RemoteFailure("invalidAnswer", `more than ${length} bytes arrived`);
      piece.copy(into, came);
      came += piece.length;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RemoteFailure) throw error;
    // If all bytes arrived, only a checksum of the client can have failed.
    throw came < length ? truncated(came, length) : new RemoteFailure("damaged", (error as Error).message);
  } finally {
    signal.removeEventListener("abort", stop);
  }
  signal.throwIfAborted();
  if (came < length) throw truncated(came, length);
}

/** An answer that ended early. */
export function truncated(came: number, length: number): RemoteFailure {
  return new RemoteFailure("truncated", `${came} of ${length} bytes arrived`);
}
