import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PatternLibrary } from "@perdura/internals/patterns/library.js";
import { completePattern } from "@perdura/internals/patterns/pattern.js";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { type BackupStore, openBackupStore } from "../src/index.ts";
import type { BackupStoreOptions } from "../src/options.ts";

export { freshFolder };

/** A store in a directory of its own. */
export async function directoryStore(
  options: BackupStoreOptions = {},
): Promise<{ store: BackupStore; folder: string; tree: string }> {
  const folder = freshFolder();
  const tree = join(folder, "backups");
  const store = await openBackupStore(pathToFileURL(tree).href, options);
  return { store, folder, tree };
}

/** A library of patterns with these ids. */
export function libraryOf(...ids: string[]): PatternLibrary {
  const library = new PatternLibrary();
  for (const id of ids)
    library.patterns.set(
      id,
      completePattern({ id, agent_id: "agent", pattern_type: "behaviour", name: `Pattern ${id}` }),
    );
  return library;
}
