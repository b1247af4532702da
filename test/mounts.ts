import { spawnSync } from "node:child_process";
import { rmdirSync } from "node:fs";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./temporary_folder.ts";

/**
 * Mounts a file system until the test is over. Needs {@link canMount}.
 *
 * @param words The arguments of `mount`; the last one is the existing mount point.
 */
export function mount(...words: string[]): void {
  mountNow(words);
  onTestFinished(() => unmount(words));
}

function mountNow(words: readonly string[]): void {
  const { status, stderr } = spawnSync("mount", words);
  if (status !== 0) throw new Error(stderr.toString());
}

function unmount(words: readonly string[]): void {
  spawnSync("umount", words.slice(-1));
}

/** True if this user may mount a file system. */
export function canMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const words = ["-t", "tmpfs", "perdura", temporaryFolder()];
  try {
    mountNow(words);
    unmount(words);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(words.at(-1) as string);
  }
}
