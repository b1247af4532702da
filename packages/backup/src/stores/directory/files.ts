import { link, open, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { giveAccess } from "@perdura/internals/files/acl.js";
import { removeAbandonedTemporaries } from "@perdura/internals/files/abandoned_temporaries.js";
import { removeAfterFailure, removeAfterSuccess } from "@perdura/internals/files/remove_temporary.js";
import { renameFile } from "@perdura/internals/files/rename_file.js";
import { syncDone } from "@perdura/internals/files/sync_directory.js";
import { isTemporaryName, temporaryName } from "@perdura/internals/files/temporary_names.js";
import { NO_HARD_LINKS } from "@perdura/internals/files/whole_file.js";
import { canonicalKey } from "../../layout/versions.ts";
import type { Upload } from "../object_store.ts";

/** Bytes that are written at a time. */
const AT_ONCE = 1 << 20;

/** Adds a file that is complete and synced when it appears; an existing file stays unchanged. */
export async function addFile(
  path: string,
  content: Pick<Upload, "size" | "read" | "sent" | "access">,
  signal: AbortSignal | undefined,
): Promise<"added" | "exists"> {
  const directory = dirname(path);
  removeAbandonedTemporaries(directory);
  const temporary = join(directory, temporaryName(basename(path)));
  let added: boolean;
  try {
    await write(temporary, content, signal);
    signal?.throwIfAborted();
    added = await placed(temporary, path);
  } catch (error) {
    removeAfterFailure(temporary);
    throw error;
  }
  removeAfterSuccess(temporary);
  if (!added) return "exists";
  syncDone(path, "the file was stored");
  return "added";
}

async function write(
  temporary: string,
  { size, read, sent, access }: Pick<Upload, "size" | "read" | "sent" | "access">,
  signal: AbortSignal | undefined,
): Promise<void> {
  const file = await open(temporary, "wx", access === undefined ? 0o666 : 0o600);
  try {
    if (access !== undefined) giveAccess(temporary, file.fd, access);
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
    if (!NO_HARD_LINKS.has(code)) throw error;
  }
  // Two writers at the same time could both find nothing, but their names contain the microsecond and the content's
  // hash.
  if ((await unlessMissing(stat(path))) !== undefined) return false;
  renameFile(temporary, path);
  return true;
}

/**
 * Files below a directory whose keys have the prefix, in the order of the keys' bytes, both in any spelling of a key.
 * Unfinished files are left out.
 */
export async function keysBelow(root: string, prefix: string): Promise<{ key: string; size: number }[]> {
  const found: { key: string; size: number }[] = [];
  const walk = async (folder: string): Promise<void> => {
    for (const entry of (await unlessMissing(readdir(join(root, folder), { withFileTypes: true }))) ?? []) {
      const key = `${folder}${entry.name}`;
      if (isTemporaryName(entry.name) || !mayBegin(key, prefix)) continue;
      // A link is followed; a file that is removed at the same time is left out.
      const facts = await unlessMissing(stat(join(root, key)));
      if (facts?.isDirectory() === true) await walk(`${key}/`);
      else if (facts?.isFile() === true && canonicalKey(key).startsWith(prefix)) found.push({ key, size: facts.size });
    }
  };
  await walk("");
  const bytesOf = ({ key }: { key: string }): Buffer => Buffer.from(canonicalKey(key));
  return found.sort((left, right) => Buffer.compare(bytesOf(left), bytesOf(right)));
}

/** True for a key with the prefix, or a folder that may contain such keys. */
function mayBegin(key: string, prefix: string): boolean {
  const canonical = canonicalKey(key);
  return canonical.startsWith(prefix) || prefix.startsWith(`${canonical}/`);
}

/** Awaits a file system call; undefined if the file does not exist. */
export async function unlessMissing<Result>(found: Promise<Result>): Promise<Result | undefined> {
  try {
    return await found;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
