import { type BigIntStats, statSync } from "node:fs";

/** Identifies the content of a file: every save creates a new file, and every change of a file changes its time. */
export type FileVersion = string;

export function fileVersion({ dev, ino, size, mtimeNs }: BigIntStats): FileVersion {
  return [dev, ino, size, mtimeNs].join();
}

/** The version of the regular file at a path; undefined if there is none. */
export function versionAt(path: string): FileVersion | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found?.isFile() === true ? fileVersion(found) : undefined;
}
