import { mkdirSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { syncDone } from "./sync_directory.ts";

/**
 * Creates a directory and its missing parents, and syncs their names. Without the sync, a power cut could remove the
 * directory with all files that were synced in it.
 *
 * @throws StorageError if the directory was created but not synced; otherwise the error of the operating system.
 */
export function makeDirectory(path: string): void {
  const first = mkdirSync(path, { recursive: true });
  // Windows needs no sync. There, Node.js returns `\\?\C:\…` here, which `realpathSync` rejects.
  if (first === undefined || process.platform === "win32") return;
  const top = dirname(realpathSync(first));
  for (let made = realpathSync(path); made.length > top.length; made = dirname(made))
    syncDone(made, "the directory is made");
}
