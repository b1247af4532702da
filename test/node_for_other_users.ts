import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { freshFolder } from "./fresh_folder.ts";

/** A user without rights. Only the superuser can start a process of another user. */
const NOBODY = 65_534;
export const OTHER_USER: { uid?: number; gid?: number } = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

let found: string | undefined;

/**
 * A Node.js that {@link OTHER_USER} may run: the one of these tests may be in a place that only the superuser can read.
 * A copy is removed after the test, or after the file, that made it; the next one in the same process makes another.
 */
export function nodeForOtherUsers(): string {
  if (found === undefined || !existsSync(found)) found = isRunnable(process.execPath) ? process.execPath : copyForAll();
  return found;
}

function isRunnable(node: string): boolean {
  return spawnSync(node, ["--version"], { ...OTHER_USER, cwd: "/" }).status === 0;
}

function copyForAll(): string {
  const place = freshFolder();
  chmodSync(place, 0o755);
  const node = join(place, "node");
  copyFileSync(process.execPath, node);
  return node;
}
