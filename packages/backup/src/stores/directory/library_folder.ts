import { rmdirSync } from "node:fs";
import { basename } from "node:path";
import { StorageError } from "@perdura/internals/errors/errors.js";
import { entryExists, listedName } from "@perdura/internals/files/exact_names.js";
import { makeDirectory } from "@perdura/internals/files/make_directory.js";
import { canonicalKey } from "../../layout/versions.ts";

/**
 * Creates the folder of a library.
 *
 * @throws StorageError when a file system that ignores case has another directory of that name, or when it stores the
 * name in a spelling that is not a key.
 */
export function makeLibraryFolder(folder: string): void {
  const isNew = !entryExists(folder);
  makeDirectory(folder);
  const found = listedName(folder);
  if (found !== undefined && canonicalKey(found) === canonicalKey(basename(folder))) return;
  if (isNew) {
    rmdirSync(folder);
    throw new StorageError(
      `the file system stores this name as ${found ?? "another name"}, so the library could not be found again. Nothing was stored. Use a directory on another file system.`,
      { path: folder },
    );
  }
  throw new StorageError(
    `the file system does not distinguish this name from that of ${found === undefined ? "another directory" : `the directory ${found}`}, which contains other files. Nothing was stored. Move that directory elsewhere.`,
    { path: folder },
  );
}
