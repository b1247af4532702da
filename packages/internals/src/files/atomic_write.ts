import { randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { withStorage } from "../errors/storage_errors.ts";
import { removeAbandonedTemporaries } from "./abandoned_temporaries.ts";
import { EarlySync } from "./early_sync.ts";
import { temporaryName } from "./temporary_names.ts";
import { WriteBuffer } from "./write_buffer.ts";

/** Puts bytes into a file that is being written. */
export type Write = (chunk: string | Uint8Array) => void;

/**
 * Replaces a file so that a reader, a crash or a power cut sees the old content or the new content, never a mixture:
 * a temporary file beside it, synced, renamed over it, directory synced. A failure leaves the old file and nothing else.
 * A symbolic link stays a link; the file it points to is replaced. Mode and owner of an existing file are kept.
 *
 * @param produce Writes the content through the function that it is given.
 * @param options.clean Look for temporary files of killed writers in the directory first; costs a listing of it.
 * @param options.mode The mode of a file that is not there yet; by default what the umask leaves.
 * @throws StorageError naming the file; what `produce` throws passes unchanged.
 */
export function writeFileAtomically(
  path: string,
  produce: (write: Write) => void,
  options: { clean?: boolean; mode?: number } = {},
): void {
  withStorage(path, "saving", () => {
    const target = followLink(path);
    if (options.clean === true) removeAbandonedTemporaries(dirname(target));
    const temporary = join(dirname(target), temporaryName(basename(target), randomBytes(4).toString("hex")));
    try {
      fillTemporary(temporary, target, produce, options.mode);
      renameSync(temporary, target);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
    syncDirectory(dirname(target));
  });
}

/** The file at the end of a link, also of one that leads to nothing yet. */
function followLink(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() !== true) return path;
  const present = statSync(path, { throwIfNoEntry: false });
  return present === undefined ? resolve(dirname(path), readlinkSync(path)) : realpathSync(path);
}

function fillTemporary(temporary: string, target: string, produce: (write: Write) => void, mode = 0o666): void {
  const existing = statSync(target, { throwIfNoEntry: false });
  if (existing !== undefined) assertWritable(target);
  const descriptor = openSync(temporary, "wx", mode);
  const early = new EarlySync(temporary);
  try {
    if (existing !== undefined) {
      keepOwner(descriptor, existing.uid, existing.gid);
      fchmodSync(descriptor, existing.mode & 0o7777);
    }
    fill(descriptor, produce, early);
    fsyncSync(descriptor);
  } finally {
    early.end();
    closeSync(descriptor);
  }
}

/** A rename would replace a write-protected file without asking. A file that is gone meanwhile protects nothing. */
function assertWritable(target: string): void {
  try {
    accessSync(target, constants.W_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Matters to a superuser who saves into somebody's file; nobody else may give files away, and need not. */
function keepOwner(descriptor: number, uid: number, gid: number): void {
  if (process.geteuid?.() === 0) fchownSync(descriptor, uid, gid);
}

function fill(descriptor: number, produce: (write: Write) => void, early: EarlySync): void {
  const buffer = new WriteBuffer((bytes) => {
    writeAll(descriptor, bytes);
    early.wrote(bytes.length);
  });
  try {
    produce((chunk) => buffer.add(chunk));
    buffer.flush();
  } finally {
    buffer.free();
  }
}

/** `writeSync` may write less than it was given. */
function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
}

/** Makes a rename or a removal in `directory` survive a power cut. Windows cannot open directories and needs no such call. */
export function syncDirectory(directory: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(directory, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
