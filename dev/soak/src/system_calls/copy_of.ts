import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";

/** Copies a directory with every mode and time, and with hard links; returns the copy's path. */
export function copyOf(directory: string, to: string): string {
  rmSync(to, { recursive: true, force: true });
  const { status, stderr } = spawnSync("cp", ["-a", directory, to], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return to;
}

/** The same without times: Node.js cannot set them to the nanosecond, and starting `cp` takes longer than the copy. */
export function copyWithoutTimes(directory: string, to: string): string {
  rmSync(to, { recursive: true, force: true });
  copyEntry(directory, to, new Map());
  return to;
}

/** @param copies The copy of a file with several names, by inode. */
function copyEntry(from: string, to: string, copies: Map<number, string>): void {
  const found = lstatSync(from);
  const copy = copies.get(found.ino);
  if (found.isDirectory()) {
    mkdirSync(to);
    for (const name of readdirSync(from)) copyEntry(join(from, name), join(to, name), copies);
    chmodSync(to, found.mode);
  } else if (found.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else if (copy !== undefined) linkSync(copy, to);
  else {
    copyFileSync(from, to);
    if (found.nlink > 1) copies.set(found.ino, to);
  }
}
