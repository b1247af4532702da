import { closeSync, constants, copyFileSync, fchmodSync, fstatSync, fsyncSync, openSync, writeSync } from "node:fs";
import { EarlySync } from "@perdura/internals/files/early_sync.js";
import type { OnBytes } from "./answer_requests.ts";
import { blocks, withFile } from "./blocks.ts";

/** How many bytes go by between two reports of progress. */
const REPORTED = 64 << 20;

/**
 * Copies a file to a name that nothing has, with its mode, and syncs the copy. Blocks are shared where the file system can.
 *
 * @param onBytes Told every now and then how many bytes are copied, and of how many.
 */
export function copyFile(from: string, to: string, onBytes: OnBytes): void {
  if (shareBlocks(from, to)) syncFile(to);
  else withFile(from, (source) => copyBlocks(source, to, onBytes));
}

/** Makes the content of a file survive a power cut. */
export function syncFile(path: string): void {
  // Windows syncs only what is open for writing; elsewhere the mode of a copy may forbid that.
  withFile(path, (descriptor) => fsyncSync(descriptor), process.platform === "win32" ? "r+" : "r");
}

/** What file systems answer that cannot share blocks, or not between these two places. */
const CANNOT = new Set(["ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EXDEV", "EINVAL", "ENOTTY"]);

function shareBlocks(from: string, to: string): boolean {
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch (error) {
    if (CANNOT.has((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

function copyBlocks(source: number, to: string, onBytes: OnBytes): void {
  const { size, mode } = fstatSync(source);
  const target = openSync(to, "wx", mode & 0o777);
  const early = new EarlySync(to);
  try {
    let done = 0;
    for (const block of blocks(source)) {
      for (let written = 0; written < block.length;) written += writeSync(target, block, written);
      done += block.length;
      early.wrote(block.length);
      if (done % REPORTED === 0 && done < size) onBytes(done, size);
    }
    // Exactly that of the source, whatever the umask says.
    fchmodSync(target, mode & 0o7777);
    // Through this descriptor: one that is opened now is not told of an error that an early sync has met.
    fsyncSync(target);
  } finally {
    early.end();
    closeSync(target);
  }
}
