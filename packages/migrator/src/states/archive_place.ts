import { existsSync } from "node:fs";
import { ARCHIVE_SUFFIX, numberedName } from "../discover/own_files.ts";
import { isArchive } from "./compare_archive.ts";

/** The newest archive of a state directory, or undefined. */
export function newestArchive(directory: string): string | undefined {
  let newest: string | undefined;
  for (let number = 1; existsSync(archivePath(directory, number)); number += 1) {
    if (isArchive(archivePath(directory, number))) newest = archivePath(directory, number);
  }
  return newest;
}

/** The name for a new archive; never that of a file that is there. */
export function freeArchivePath(directory: string): string {
  let number = 1;
  while (existsSync(archivePath(directory, number))) number += 1;
  return archivePath(directory, number);
}

function archivePath(directory: string, number: number): string {
  return numberedName(directory, ARCHIVE_SUFFIX, number);
}
