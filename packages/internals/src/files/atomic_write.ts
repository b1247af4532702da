import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { TEMPORARY_SUFFIX, isAbandoned, temporaryName } from "./temporary_names.ts";

/** Puts bytes into a file that is being written. */
export type Write = (chunk: string | Uint8Array) => void;

/** Text is gathered to about this many characters before it goes to the disk. */
const BUFFER = 1 << 16;

/**
 * Replaces a file so that a reader, a crash or a power cut sees the old content or the new content, never a mixture:
 * a temporary file beside it, synced, renamed over it, directory synced. A failure leaves the old file and nothing else.
 * A symbolic link stays a link; the file it points to is replaced. The mode of an existing file is kept.
 *
 * @param produce Writes the content through the function that it is given.
 */
export function writeFileAtomically(path: string, produce: (write: Write) => void): void {
  const target = existsSync(path) ? realpathSync(path) : path;
  const directory = dirname(target);
  const temporary = join(directory, temporaryName(basename(target), randomBytes(4).toString("hex")));
  const descriptor = openSync(temporary, "wx", 0o666);
  try {
    try {
      keepMode(target, descriptor);
      fill(descriptor, produce);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncDirectory(directory);
}

function keepMode(target: string, descriptor: number): void {
  const existing = statSync(target, { throwIfNoEntry: false });
  if (existing !== undefined) fchmodSync(descriptor, existing.mode & 0o7777);
}

function fill(descriptor: number, produce: (write: Write) => void): void {
  let pending = "";
  const flush = (): void => {
    if (pending !== "") writeAll(descriptor, Buffer.from(pending, "utf8"));
    pending = "";
  };
  produce((chunk) => {
    if (typeof chunk === "string") {
      pending += chunk;
      if (pending.length >= BUFFER) flush();
    } else {
      flush();
      writeAll(descriptor, chunk);
    }
  });
  flush();
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

/** Removes temporary files that a process which is gone left in `directory` when it was killed while writing. */
export function removeAbandonedTemporaries(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isFile() && entry.name.endsWith(TEMPORARY_SUFFIX) && isAbandoned(path)) rmSync(path, { force: true });
  }
}
