import { randomBytes } from "node:crypto";
import { link, open, rename, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { discard, tidyUp } from "@perdura/internals/files/discard.js";
import { removeAbandonedTemporaries } from "@perdura/internals/files/abandoned_temporaries.js";
import { syncDone } from "@perdura/internals/files/sync_directory.js";
import { temporaryName } from "@perdura/internals/files/temporary_names.js";
import { unlessMissing } from "./missing.ts";
import type { Upload } from "../object_store.ts";

/** Bytes that are written at a time. */
const AT_ONCE = 1 << 20;

/** File systems without hard links. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** Adds a file that is whole and on the disk when it appears; one that is there stays as it is. */
export async function addFile(
  path: string,
  content: Pick<Upload, "size" | "read" | "sent">,
  signal: AbortSignal | undefined,
): Promise<"added" | "exists"> {
  const directory = dirname(path);
  removeAbandonedTemporaries(directory);
  const temporary = join(directory, temporaryName(basename(path), randomBytes(4).toString("hex")));
  let added: boolean;
  try {
    await write(temporary, content, signal);
    signal?.throwIfAborted();
    added = await placed(temporary, path);
  } catch (error) {
    discard(temporary);
    throw error;
  }
  tidyUp(temporary);
  if (!added) return "exists";
  syncDone(path, "the file is in place");
  return "added";
}

async function write(
  temporary: string,
  { size, read, sent }: Pick<Upload, "size" | "read" | "sent">,
  signal: AbortSignal | undefined,
): Promise<void> {
  const file = await open(temporary, "wx");
  try {
    const place = Buffer.allocUnsafe(Math.min(AT_ONCE, size));
    for (let start = 0; start < size; start += AT_ONCE) {
      signal?.throwIfAborted();
      const length = Math.min(AT_ONCE, size - start);
      await file.writeFile(await read(start, length, place.subarray(0, length)));
      sent?.(Math.min(start + AT_ONCE, size));
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

async function placed(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (!NO_LINKS.has(code ?? "")) throw error;
  }
  // Two at the same moment could both find nothing; their names tell the microsecond and the content.
  if ((await unlessMissing(stat(path))) !== undefined) return false;
  await rename(temporary, path);
  return true;
}
