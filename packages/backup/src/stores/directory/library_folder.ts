import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { StorageError } from "@perdura/internals/errors/errors.js";
import { hasOtherSpelling, entryExists, listedName } from "@perdura/internals/files/exact_names.js";
import { makeDirectory } from "@perdura/internals/files/make_directory.js";
import { renameFile } from "@perdura/internals/files/rename_file.js";
import { syncDone } from "@perdura/internals/files/sync_directory.js";
import { renamedFolder } from "../../layout/library_names.ts";

/**
 * Creates the folder of a library. In an older store on a case-insensitive file system, `team` is the folder `Team` of
 * another library. That folder is first renamed to its current name, `%54eam`, under which its versions are found as
 * well. The same happens when its own library is stored, so that there are never two folders of one library.
 *
 * @throws StorageError when the name belongs to anything else.
 */
export function makeLibraryFolder(folder: string): void {
  const [root, name] = [dirname(folder), basename(folder)];
  if (!entryExists(folder)) {
    const before = entryExists(root) ? readdirSync(root).find((each) => renamedFolder(each) === name) : undefined;
    if (before !== undefined && hasOtherSpelling(join(root, before))) rename(join(root, before), folder);
  }
  makeDirectory(folder);
  const listed = listedName(folder);
  if (listed === name) return;
  const to = listed === undefined ? undefined : renamedFolder(listed);
  if (listed !== undefined && to !== undefined) rename(join(root, listed), join(root, to));
  makeDirectory(folder);
  const found = listedName(folder);
  if (found === name) return;
  const way = to === undefined ? "Move that directory elsewhere." : `Move the files in it to ${to}, and remove it.`;
  throw new StorageError(
    `the file system does not distinguish this name from ${found === undefined ? "that of another directory" : `that of the directory ${found}`}, which contains other files. Nothing was stored. ${way}`,
    { path: folder },
  );
}

/**
 * Another process may do the same at this moment, and `from` may then be the folder that it created: in this case `to`
 * exists, and nothing is renamed. A rename never replaces a directory that has entries.
 */
function rename(from: string, to: string): void {
  if (entryExists(to)) return;
  try {
    renameFile(from, to);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return;
  }
  syncDone(to, "the directory of the library was renamed");
}
