import { randomBytes } from "node:crypto";
import { linkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { removeAbandonedTemporaries } from "./abandoned_temporaries.ts";
import { discard, tidyUp } from "./discard.ts";
import { syncDone } from "./sync_directory.ts";
import { temporaryName } from "./temporary_names.ts";

/** A file system without hard links, or another process that made the file meanwhile. */
const OTHER_WAY = new Set(["EEXIST", "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/**
 * Makes a file that is whole when it appears: built under a temporary name, then linked to its own, which fails where a
 * file is already. A killed writer leaves no half of it.
 *
 * @param build Writes and syncs the file at the path that it is given.
 * @returns What `build` returned; undefined when the file is there now after all, or cannot be made in this way.
 */
export function createWholeFile<Result>(path: string, build: (temporary: string) => Result): Result | undefined {
  removeAbandonedTemporaries(dirname(path));
  const temporary = join(dirname(path), temporaryName(basename(path), randomBytes(4).toString("hex")));
  let result: Result;
  try {
    result = build(temporary);
    linkSync(temporary, path);
  } catch (error) {
    discard(temporary);
    const { code, syscall } = error as { code?: string; syscall?: string };
    if (syscall === "link" && OTHER_WAY.has(code ?? "")) return undefined;
    throw error;
  }
  try {
    syncDone(path, "the new file is in place");
  } finally {
    tidyUp(temporary);
  }
  return result;
}
