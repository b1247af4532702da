import { closeSync, constants, copyFileSync, fstatSync, fsyncSync, openSync, statSync, writeSync } from "node:fs";
import { copyAcl, giveAccess } from "@perdura/internals/files/acl.js";
import { withoutGroup } from "@perdura/internals/files/access.js";
import { EarlySync } from "@perdura/internals/files/early_sync.js";
import { withFile } from "@perdura/internals/files/guarded_file.js";
import { isOpenInProcess } from "@perdura/internals/files/open_files.js";
import { blocks } from "../pages/blocks.ts";
import type { OnBytes } from "./requests.ts";

/** Bytes between two progress reports. */
const REPORTED = 64 << 20;

/**
 * Copies a file to a new name, with its owner, group and mode, and syncs the copy. While it is written, it is not
 * readable for users who cannot read the original. Shares blocks if the file system supports it.
 *
 * @param onBytes Called at intervals with the number of copied bytes and the total.
 */
export function copyFile(from: string, to: string, onBytes: OnBytes): void {
  if (shareBlocks(from, to)) finishShared(from, to);
  else
    withFile(from, (source) => {
      copyBlocks(source, to, onBytes);
      copyAcl(from, to);
    });
}

/** Syncs the content of a file, so that it survives a power cut. */
export function syncFile(path: string): void {
  // Windows can sync only files that are open for writing; on other systems the mode of a copy may forbid to open it
  // so.
  withFile(path, (descriptor) => fsyncSync(descriptor), process.platform === "win32" ? "r+" : "r");
}

/** Does not follow a link that has replaced the copy. */
function finishShared(from: string, to: string): void {
  const descriptor = openSync(
    to,
    (process.platform === "win32" ? constants.O_RDWR : constants.O_RDONLY) | (constants.O_NOFOLLOW ?? 0),
  );
  try {
    giveAccess(to, descriptor, statSync(from));
    copyAcl(from, to);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Errors of file systems that cannot share blocks, or not between these two places. */
const CANNOT = new Set(["ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EXDEV", "EINVAL", "ENOTTY"]);

function shareBlocks(from: string, to: string): boolean {
  // It would close a descriptor of the original: see `withFile`.
  if (isOpenInProcess(from)) return false;
  // Node.js sets the mode of the copy immediately, while the copy still has this user's group.
  const { gid, mode } = statSync(from);
  if (gid !== (process.getegid?.() ?? gid) && withoutGroup(mode) !== mode) return false;
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch (error) {
    if (CANNOT.has((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

function copyBlocks(source: number, to: string, onBytes: OnBytes): void {
  const found = fstatSync(source);
  const { size } = found;
  const target = openSync(to, "wx", 0o600);
  const early = new EarlySync(to);
  try {
    let done = 0;
    for (const block of blocks(source)) {
      for (let written = 0; written < block.length;) written += writeSync(target, block, written);
      done += block.length;
      early.wrote(block.length);
      if (done % REPORTED === 0 && done < size) onBytes(done, size);
    }
    giveAccess(to, target, found);
    // Through this descriptor: one that is opened now would not report an error of an early sync.
    fsyncSync(target);
  } finally {
    early.end();
    closeSync(target);
  }
}
