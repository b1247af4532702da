import { ARCHIVE_SUFFIX } from "../io/own_files.ts";
import { nextFile, numberedFiles } from "../io/placing.ts";
import { isArchive } from "./open_archive.ts";

/** The newest archive of a state directory, or undefined. */
export function newestArchive(directory: string): string | undefined {
  return archiveNames(directory).findLast(isArchive);
}

/** The name for a new archive; never that of something that is there. */
export function freeArchivePath(directory: string): string {
  return nextFile(`${directory}.v15`, ARCHIVE_SUFFIX);
}

/** A note on an archive that is not the newest. */
export function olderArchive(path: string): string {
  return `an older archive: ${path}`;
}

/** What has the name of an archive of a state directory, whatever it holds: oldest first. */
export function archiveNames(directory: string): string[] {
  return numberedFiles(`${directory}.v15`, ARCHIVE_SUFFIX);
}
