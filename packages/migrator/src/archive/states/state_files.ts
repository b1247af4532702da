import {
  decodeUserId,
  digestName,
  ID_SUFFIX,
  isDigestName,
  STATE_SUFFIX,
} from "@perdura/internals/state/file_names.js";
import { type EntryName, nameFromText, shownName, pathBelow } from "../format/entry_name.ts";
import { type Entry, entryAt } from "../tree/walk_tree.ts";
import { readWhole } from "@perdura/internals/files/read_bytes.js";

/** The content of a file beside a state, or undefined where there is none; a directory or an archive can say. */
export type Companion = (name: EntryName) => Buffer | undefined;

/** True for what a state manager takes for a state: a file or link directly in the directory whose name ends in `.json`. */
export function isStateFile({ name, kind }: Pick<Entry, "name" | "kind">): boolean {
  return kind !== "directory" && name.endsWith(STATE_SUFFIX) && !name.includes("/");
}

/** The user whom a state file stands for, as bytes in the form of a name: that of an old file need not be UTF-8. */
export function userOf(file: EntryName, companion: Companion): EntryName {
  const stem = file.slice(0, -STATE_SUFFIX.length);
  // Encoded names are ASCII and hold a percent sign; every other name is that of its user.
  if (!stem.includes("%")) return stem;
  const text = shownName(stem);
  if (nameFromText(text) !== stem) return stem;
  return nameFromText(isDigestName(text) ? (longId(text, companion) ?? text) : decodeUserId(text));
}

/** The id of an over-long user lies beside the state, in a file of its own. */
function longId(stem: string, companion: Companion): string | undefined {
  const id = companion(`${stem}${ID_SUFFIX}`)?.toString("utf8");
  return id !== undefined && digestName(id) === stem ? id : undefined;
}

/** The id of a user, however long; a file that is bigger holds something else. */
const MAX_ID_BYTES = 1 << 20;

/** Answers from the directory what lies beside a state. */
export function directoryCompanion(root: string): Companion {
  return (name) => {
    const entry = entryAt(root, name);
    return entry?.kind === "file" && entry.size <= MAX_ID_BYTES ? readWhole(pathBelow(root, name)) : undefined;
  };
}
