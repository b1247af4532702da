import { join } from "node:path";
import { brokenState, readState, type StateReading } from "./read_state.ts";
import { userOf } from "./state_files.ts";
import type { Tree, TreeEntry } from "./tree.ts";

/** What the table of states says of a state file. A link is kept as a link; what it leads to is not part of the directory. */
export function readingOf(tree: Tree, entry: TreeEntry, content: Buffer): StateReading {
  if (entry.kind === "link")
    return brokenState(
      `a symbolic link to ${content.toString("utf8")}; the link is kept, what it leads to is not in here`,
    );
  return readState(content, userOf(tree, entry).toString("utf8"), join(tree.root, entry.name.toString("utf8")));
}
