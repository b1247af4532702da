import { unlinkSync } from "node:fs";
import { syncDirectory } from "@perdura/internals/files/sync_directory.js";
import { readWhole } from "@perdura/internals/files/read_bytes.js";
import { ID_SUFFIX, STATE_SUFFIX } from "@perdura/internals/state/file_names.js";
import { directoryCompanion, isStateFile, userInDirectory } from "../format/state_file.ts";
import { type EntryName, nameFromText, pathBelow } from "../tree/entry_name.ts";
import { assertEntriesRemovable } from "../tree/remove_tree.ts";
import { entryAt, type Excludes, walkTree } from "../tree/walk_tree.ts";

/** Names of the state files that stand for a user. */
export function statesOfUser(directory: string, userId: string, excludes: Excludes): EntryName[] {
  const companion = directoryCompanion(directory);
  const user = nameFromText(userId);
  const names: EntryName[] = [];
  for (const { name, kind, excluded } of walkTree(directory, excludes)) {
    if (kind === "special" || excluded || !isStateFile({ name, kind })) continue;
    const content = (): Buffer | undefined => (kind === "file" ? readWhole(pathBelow(directory, name)) : undefined);
    if (userInDirectory(directory, name, companion, content) === user) names.push(name);
  }
  return names;
}

/** Checks that this user may delete them, before anything is deleted. @throws Stop that names the file. */
export function assertDeletable(directory: string, names: readonly EntryName[]): void {
  assertEntriesRemovable(directory, filesOf(directory, names), "all states of the user");
}

/** Deletes state files, with the files of ids that are too long for a file name. A missing file counts as deleted. */
export function deleteStates(directory: string, names: readonly EntryName[]): void {
  for (const file of filesOf(directory, names)) unlinkSync(pathBelow(directory, file));
  if (names.length > 0) syncDirectory(directory);
}

function* filesOf(directory: string, names: readonly EntryName[]): Generator<EntryName, void, undefined> {
  for (const name of names)
    for (const file of [name, `${name.slice(0, -STATE_SUFFIX.length)}${ID_SUFFIX}`])
      if (entryAt(directory, file) !== undefined) yield file;
}
