import { basename } from "node:path";
import { StorageError } from "@perdura/internals/errors/errors.js";
import { listedName } from "@perdura/internals/files/exact_names.js";
import { makeDirectory } from "@perdura/internals/files/make_directory.js";
import { canonicalKey } from "../../layout/versions.ts";

/**
 * Creates the folder of a library.
 *
 * @throws StorageError when a file system that ignores case has another directory of that name.
 */
export function makeLibraryFolder(folder: string): void {
  makeDirectory(folder);
  const found = listedName(folder);
  if (found !== undefined && canonicalKey(found) === canonicalKey(basename(folder))) return;
  throw new StorageError(
    `the file system does not distinguish this name from that of ${found === undefined ? "another directory" : `the directory ${found}`}, which contains other files. Nothing was stored. Move that directory elsewhere.`,
    { path: folder },
  );
}
