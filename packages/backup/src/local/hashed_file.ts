import { createHash } from "node:crypto";
import { open } from "node:fs/promises";

/** Bytes that are read at a time. */
const AT_ONCE = 1 << 20;

/** A file of ours that does not change any more: its length, its SHA-256 in hexadecimal digits, and its bytes. */
export interface HashedFile {
  size: number;
  sha256: string;
  read(start: number, length: number): Promise<Buffer>;
}

/** Opens a file for as long as a task takes. */
export async function withHashedFile<Result>(
  path: string,
  task: (file: HashedFile) => Promise<Result>,
): Promise<Result> {
  const handle = await open(path, "r");
  try {
    const { size } = await handle.stat();
    const read = async (start: number, length: number): Promise<Buffer> => {
      const bytes = Buffer.allocUnsafe(length);
      for (let done = 0; done < length;) {
        const { bytesRead } = await handle.read(bytes, done, length - done, start + done);
        if (bytesRead === 0) throw new Error(`${path}: expected ${size} bytes, found ${start + done}.`);
        done += bytesRead;
      }
      return bytes;
    };
    const hash = createHash("sha256");
    for (let start = 0; start < size; start += AT_ONCE) hash.update(await read(start, Math.min(AT_ONCE, size - start)));
    return await task({ size, sha256: hash.digest("hex"), read });
  } finally {
    await handle.close();
  }
}
