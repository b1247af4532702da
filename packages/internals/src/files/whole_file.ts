import { linkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { removeAbandonedTemporaries } from "./abandoned_temporaries.ts";
import type { Access } from "./access.ts";
import { createFileFor } from "./private_file.ts";
import { removeAfterFailure, removeAfterSuccess } from "./remove_temporary.ts";
import { syncDone } from "./sync_directory.ts";
import { temporaryName } from "./temporary_names.ts";

/** Errors of a link on file systems without hard links. */
export const NO_HARD_LINKS: ReadonlySet<string | undefined> = new Set([
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "EMLINK",
]);

/**
 * Creates a file that is complete when it appears: the file is built under a temporary name, then linked to its final
 * name. Linking fails if the final name exists. A killed writer leaves no incomplete file.
 *
 * @param build Writes and syncs the file at the path that it gets.
 * @param access Owner, group and mode of the file; by default those of this user and the umask. With it, `build` gets
 * an empty file.
 * @returns The result of `build`; undefined if the file exists by now, or cannot be created in this way.
 */
export function createWholeFile<Result>(
  path: string,
  build: (temporary: string) => Result,
  access?: Access,
): Result | undefined {
  removeAbandonedTemporaries(dirname(path));
  const temporary = join(dirname(path), temporaryName(basename(path)));
  let result: Result;
  try {
    if (access !== undefined) createFileFor(temporary, access);
    result = build(temporary);
    linkSync(temporary, path);
  } catch (error) {
    removeAfterFailure(temporary);
    const { code, syscall } = error as { code?: string; syscall?: string };
    // Another process may have created the file in the meantime.
    if (syscall === "link" && (code === "EEXIST" || NO_HARD_LINKS.has(code))) return undefined;
    throw error;
  }
  try {
    syncDone(path, "the new file is in place");
  } finally {
    removeAfterSuccess(temporary);
  }
  return result;
}
