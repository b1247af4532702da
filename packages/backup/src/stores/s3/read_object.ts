import type { GetObjectCommandOutput } from "@aws-sdk/client-s3";
import type { Readable } from "node:stream";
import { StorageError } from "@perdura/internals/errors/errors.js";
import type { FoundObject } from "../object_store.ts";
import { codeOf, statusOf, WrongBody } from "./thrown.ts";
import type { Target } from "./found_object.ts";
import { tried } from "./tries.ts";

/** Reads bytes of the object that was found, and of no other one of its key. */
export async function readObject(
  { sdk, client, bucket: Bucket, prefix, limits }: Target,
  place: string,
  object: FoundObject,
  start: number,
  into: Buffer,
  signal?: AbortSignal,
): Promise<Buffer> {
  const { length } = into;
  const { key, size, revision } = object;
  if (start + length > size)
    throw new StorageError(`${place}: ${key} has ${size} bytes; ${length} from ${start} on cannot be read.`, {
      path: place,
    });
  if (length === 0) return into;
  const whole = length === size;
  const get = new sdk.GetObjectCommand({
    Bucket,
    Key: prefix + key,
    ...(revision === "" ? {} : { IfMatch: revision }),
    // Of a whole object the SDK verifies the sum that it was stored with, where there is one.
    ...(whole ? { ChecksumMode: "ENABLED" } : { Range: `bytes=${start}-${start + length - 1}` }),
  });
  try {
    return await tried(
      async (abortSignal) => {
        const answer = await client.send(get, { abortSignal });
        if (answer.ETag !== undefined && revision !== "" && answer.ETag !== revision) throw changed(place, key);
        assertRange(answer, start, length, size);
        return filled(into, answer.Body as Readable, abortSignal);
      },
      limits,
      signal,
    );
  } catch (error) {
    const status = statusOf(error);
    if (status === 412 || status === 416) throw changed(place, key);
    if (codeOf(error) !== "NoSuchKey") throw error;
    throw new StorageError(`${place}: ${key} was removed before it was read.`, { path: place });
  }
}

function changed(place: string, key: string): StorageError {
  return new StorageError(`${place}: ${key} was replaced while it was read; what was read is of no use.`, {
    path: place,
  });
}

/** A store that passes over ranges would give the beginning of an object for its middle. */
function assertRange(
  { ContentRange, ContentLength }: GetObjectCommandOutput,
  start: number,
  length: number,
  size: number,
): void {
  if (length < size && ContentRange !== `bytes ${start}-${start + length - 1}/${size}`)
    throw new WrongBody(`bytes ${start}-${start + length - 1} were asked for, and ${ContentRange ?? "the whole"} came`);
  if (ContentLength !== undefined && ContentLength !== length)
    throw new WrongBody(`${length} bytes were asked for, and ${ContentLength} announced`);
}

async function filled(into: Buffer, body: Readable, abortSignal: AbortSignal): Promise<Buffer> {
  const { length } = into;
  const stop = (): void => void body.destroy(abortSignal.reason as Error);
  if (abortSignal.aborted) stop();
  abortSignal.addEventListener("abort", stop, { once: true });
  let read = 0;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      // A try that took too long must not write over what the next one has read.
      abortSignal.throwIfAborted();
      if (read + piece.length > length) throw new WrongBody(`${length} bytes were asked for, and more came`);
      piece.copy(into, read);
      read += piece.length;
    }
  } finally {
    abortSignal.removeEventListener("abort", stop);
  }
  if (read < length) throw new WrongBody(`${length} bytes were asked for, and ${read} came`);
  return into;
}
