import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { hasAclBelow } from "@perdura/internals/files/acl.js";
import { CommonAccess } from "@perdura/internals/files/common_access.js";
import type { ReplacementOptions } from "@perdura/internals/files/replacement.js";
import type { Summary } from "../document.ts";

/** Rights to a new page: only users who may read all data that it shows. Data of a server have no rights here. */
export function pageAccess(summaries: readonly Summary[]): ReplacementOptions {
  const directories = summaries.flatMap(({ state_directories: states }) => states.map(({ path }) => path));
  const files = summaries.flatMap(({ databases, libraries, archives }) => [
    ...databases.filter(({ bytes }) => bytes !== null),
    ...libraries,
    ...archives,
  ]);
  return accessOf(
    files.map(({ path }) => path),
    directories,
  );
}

/** Rights to a new page that shows what is in these files, and in these state directories. */
export function accessOf(files: readonly string[], directories: readonly string[] = []): ReplacementOptions {
  const readers = new CommonAccess();
  for (const path of files) readers.addPath(path);
  for (const path of directories) addStates(readers, path);
  return files.length + directories.length === 0 ? {} : { access: readers.get() };
}

/** A check of each list would start a program for each state. */
function addStates(readers: CommonAccess, directory: string): void {
  readers.addPath(directory);
  for (const name of readdirSync(directory)) {
    const found = lstatSync(join(directory, name), { throwIfNoEntry: false });
    if (found?.isFile() === true) readers.add(found, false);
  }
  if (readers.mayHideAcl() && hasAclBelow(directory)) readers.addAcl();
}
