import { lstatSync } from "node:fs";
import { Stop } from "../core/stop.ts";

/**
 * Tells which file a path leads to, so that it can be seen when another one takes its place: SQLite would follow a link
 * that was put there after the plan to data that nobody named, or go on in a file that has no name any more.
 *
 * @throws Stop when it is not a regular file with this one name, as it was when it was found.
 */
export function fileAt(path: string): string {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (found?.isFile() === true && found.nlink === 1n) return `${found.dev}:${found.ino}`;
  const now =
    found === undefined
      ? "is gone"
      : found.isSymbolicLink()
        ? "is a symbolic link now"
        : found.isFile()
          ? "has a second name now"
          : "is no file any more";
  throw new Stop(
    "refused",
    `The database ${now}; it was a regular file when it was looked at. Look at what happened, then run again.`,
  );
}

/** @throws Stop when the path does not lead to that file any more. */
export function assertSameFile(path: string, file: string): void {
  if (fileAt(path) !== file)
    throw new Stop(
      "refused",
      "Another file took the place of the database while it was at work. Stop the program that did it, then run this command again.",
    );
}
