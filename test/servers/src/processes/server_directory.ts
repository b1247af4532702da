import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { plainUser, temporaryPlace } from "./plain_user.ts";
import { hold, release } from "./watchdog.ts";

/** Makes a directory for all files of a server; the watchdog removes it when our process ends. */
export function newServerDirectory(name: string): string {
  const directory = mkdtempSync(join(temporaryPlace(), `perdura-${name}-`));
  hold({ directory });
  const user = plainUser();
  if (user !== undefined) chownSync(directory, user.uid, user.gid);
  return directory;
}

/** Removes the directory of a server that has ended. */
export function removeServerDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 20 });
  release({ directory });
}
