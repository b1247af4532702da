import { readWhole } from "@perdura/internals/files/read_bytes.js";
import { pathBelow } from "./entry_name.ts";
import type { Companion } from "./state_files.ts";
import { entryAt } from "./walk_tree.ts";

/** The id of a user, however long; a file that is bigger holds something else. */
const MAX_ID_BYTES = 1 << 20;

/** Answers from the directory what lies beside a state. */
export function directoryCompanion(root: string): Companion {
  return (name) => {
    const entry = entryAt(root, name);
    return entry?.kind === "file" && entry.size <= MAX_ID_BYTES ? readWhole(pathBelow(root, name)) : undefined;
  };
}
