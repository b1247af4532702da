import { spawnSync } from "node:child_process";
import { closeSync, copyFileSync, fsyncSync, openSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Waits until the content of a file is synced. */
export function syncFile(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** The simplest way to make a second copy that survives a power cut. */
export function copyByCp(from: string, to: string): void {
  if (spawnSync("cp", [from, to]).status !== 0) throw new Error(`cp ${from} ${to} failed.`);
  syncFile(to);
}

/** Empties a directory and puts a synced copy of a file there. */
export function layOut(original: string, directory: string, name: string): string {
  for (const entry of readdirSync(directory)) rmSync(join(directory, entry), { recursive: true });
  const path = join(directory, name);
  copyFileSync(original, path);
  syncFile(path);
  return path;
}
