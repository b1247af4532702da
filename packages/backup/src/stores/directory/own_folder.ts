import { readdirSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { StorageError } from "@perdura/internals/errors/errors.js";
import { hasOtherSpelling, isThere, listedName } from "@perdura/internals/files/exact_names.js";
import { makeDirectory } from "@perdura/internals/files/make_directory.js";
import { syncDone } from "@perdura/internals/files/sync_directory.js";
import { renamedFolder } from "../../layout/library_names.ts";

/**
 * Makes the folder of a library. In a store written before, on a file system that ignores case, `team` leads to the folder
 * `Team` of another library. That one first gets the name that it would have now, `%54eam`, in which its versions are found
 * as well; also when its own library is stored next, so that there are never two.
 *
 * @throws StorageError where something else is found under the name.
 */
export function makeOwnFolder(folder: string): void {
  const [root, name] = [dirname(folder), basename(folder)];
  if (!isThere(folder)) {
    const before = isThere(root) ? readdirSync(root).find((each) => renamedFolder(each) === name) : undefined;
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
    `the file system takes this name for that of the directory ${found ?? "of another"}, and a backup would lie among what is there. Nothing was stored. ${way}`,
    { path: folder },
  );
}

/**
 * Another process may do the same at this moment, and `from` may lead to the folder that it made: then there is something at
 * `to`, and nothing is renamed. A rename of a directory replaces none that has entries.
 */
function rename(from: string, to: string): void {
  if (isThere(to)) return;
  try {
    renameSync(from, to);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return;
  }
  syncDone(to, "the folder of a library is renamed");
}
