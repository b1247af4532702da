import { mkdirSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { syncDone } from "./sync_directory.ts";

/**
 * Makes a directory and those above it, where they are missing, and brings their names to the disk: a power cut would take
 * with a directory whatever was synced in it.
 *
 * @throws StorageError where it is made and a power cut may undo that; what the operating system throws where it is not.
 */
export function makeDirectory(path: string): void {
  const first = mkdirSync(path, { recursive: true });
  if (first === undefined) return;
  const top = dirname(realpathSync(first));
  for (let made = realpathSync(path); made.length > top.length; made = dirname(made))
    syncDone(made, "the directory is made");
}
