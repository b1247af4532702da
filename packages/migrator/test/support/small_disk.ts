import { existsSync, mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import type { ProgressEvent } from "../../src/index.ts";
import { mount } from "../../../../test/mounts.ts";
import { freshFolder } from "./folder.ts";
import { addRows, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

/** Bytes. */
export const KB = 1024;

/** A separate file system in memory, which is removed after the test. Needs `canMount`. */
export function smallDisk(megabytes: number): string {
  const disk = freshFolder();
  mount("-t", "tmpfs", "-o", `size=${megabytes}m`, "perdura", disk);
  return disk;
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
