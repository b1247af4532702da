import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import type { ProgressEvent } from "../../src/index.ts";
import { freshFolder } from "./folder.ts";
import { addRows, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

/** Bytes. */
export const KB = 1024;

/** A separate file system in memory, which is removed after the test. Needs {@link canMount}. */
export function smallDisk(megabytes: number): string {
  const disk = mounted(megabytes);
  onTestFinished(() => unmount(disk));
  return disk;
}

function mounted(megabytes: number): string {
  const disk = freshFolder();
  const { status, stderr } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "perdura", disk]);
  if (status !== 0) throw new Error(stderr.toString());
  return disk;
}

function unmount(disk: string): void {
  spawnSync("umount", [disk]);
}

/** True if this user may mount a file system. */
export function canMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  try {
    unmount(mounted(1));
    return true;
  } catch {
    return false;
  }
}

/** Fills a disk up with a file until this many bytes are free. */
export function fillUp(disk: string, free: number): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, "filler"), Buffer.alloc(Math.max(bavail * bsize - free, 0)));
}

/** Removes the file of {@link fillUp}. */
export function emptyDisk(disk: string): void {
  rmSync(join(disk, "filler"));
}

/** Makes a database of 400 kB and states. */
export function layOut(folder: string): void {
  mkdirSync(folder, { recursive: true });
  makeDatabase(join(folder, "m.db"), FIELD_A);
  addRows(join(folder, "m.db"), "metrics", 6000);
  layOutStates("field", join(folder, "empathy_state"));
}

/** Fills the disk after the plan has found enough space. */
export const fillAt =
  (stage: ProgressEvent["stage"], disk: string, free: number): ((event: ProgressEvent) => void) =>
  (event) => {
    if (event.stage === stage && !existsSync(join(disk, "filler"))) fillUp(disk, free);
  };
