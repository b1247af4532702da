import { ARCHIVE_SUFFIX } from "../discover/own_files.ts";
import { nextFile, numberedFiles } from "../placing/numbered_files.ts";
import { isArchive } from "./open_archive.ts";

/** The newest archive of a state directory, or undefined. */
export function newestArchive(directory: string): string | undefined {
  return archiveNames(directory).findLast(isArchive);
}

/** What has the name of the newest archive of a state directory, whatever it holds, or undefined. */
export function newestArchiveName(directory: string): string | undefined {
  return archiveNames(directory).at(-1);
}

/** The name for a new archive; never that of something that is there. */
export function freeArchivePath(directory: string): string {
  return nextFile(`${directory}.v15`, ARCHIVE_SUFFIX);
}

function archiveNames(directory: string): string[] {
  return numberedFiles(`${directory}.v15`, ARCHIVE_SUFFIX);
}
