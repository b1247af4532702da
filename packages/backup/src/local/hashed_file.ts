import { createHash } from "node:crypto";
import { open } from "node:fs/promises";

/** Bytes that are read at a time. */
const AT_ONCE = 1 << 20;

/** A temporary file that does not change any more: its length, its SHA-256 in hexadecimal digits, and its bytes. */
export interface HashedFile {
  size: number;
  sha256: string;
  read(start: number, length: number, into?: Buffer): Promise<Buffer>;
}

/** Opens a file for the duration of a task. */
export async function withHashedFile<Result>(
  path: string,
  task: (file: HashedFile) => Promise<Result>,
): Promise<Result> {
  const handle = await open(path, "r");
  try {
    const { size } = await handle.stat();
    const fill = async (bytes: Buffer, start: number): Promise<Buffer> => {
      for (let done = 0; done < bytes.length;) {
        const { bytesRead } = await handle.read(bytes, done, bytes.length - done, start + done);
        if (bytesRead === 0) throw new Error(`${path}: expected ${size} bytes, found ${start + done}.`);
        done += bytesRead;
      }
      return bytes;
    };
    const read = (start: number, length: number, into = Buffer.allocUnsafe(length)): Promise<Buffer> =>
      fill(into, start);
    const hash = createHash("sha256");
    // Reuses one buffer, because V8 releases discarded buffers late.
    const place = Buffer.allocUnsafe(Math.min(AT_ONCE, size));
    for (let start = 0; start < size; start += AT_ONCE)
      hash.update(await fill(place.subarray(0, Math.min(AT_ONCE, size - start)), start));
    return await task({ size, sha256: hash.digest("hex"), read });
  } finally {
    await handle.close();
  }
}
