import {
  decodeUserId,
  digestName,
  ID_SUFFIX,
  isDigestName,
  STATE_SUFFIX,
} from "@perdura/internals/state/file_names.js";
import { contentOf, type Tree, type TreeEntry } from "./tree.ts";

const SUFFIX = Buffer.from(STATE_SUFFIX);
const SLASH = 0x2f;

/** True for what a state manager takes for a state: a file or link directly in the directory whose name ends in `.json`. */
export function isStateFile({ name, kind }: TreeEntry): boolean {
  return (
    kind !== "directory" &&
    !name.includes(SLASH) &&
    name.length >= SUFFIX.length &&
    name.subarray(-SUFFIX.length).equals(SUFFIX)
  );
}

/** The user whom a state file stands for, in bytes: the name of an old file need not be UTF-8. */
export function userOf(tree: Tree, { name }: TreeEntry): Buffer {
  const stem = name.subarray(0, -SUFFIX.length);
  const text = stem.toString("utf8");
  if (!Buffer.from(text).equals(stem)) return stem;
  return Buffer.from(isDigestName(text) ? (companionOf(tree, text) ?? text) : decodeUserId(text));
}

/** The id of an over-long user lies beside the state, in a file of its own. */
function companionOf(tree: Tree, stem: string): string | undefined {
  const companion = tree.entries.find(
    (entry) => entry.kind === "file" && entry.name.equals(Buffer.from(`${stem}${ID_SUFFIX}`)),
  );
  const id = companion === undefined ? undefined : contentOf(tree.root, companion)?.toString("utf8");
  return id !== undefined && digestName(id) === stem ? id : undefined;
}
