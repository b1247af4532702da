import { basename, join } from "node:path";
import { someEntry } from "./entries.ts";
import { headOf, isPatternLibrary, topLevelKeys } from "./json_head.ts";

/** Names that only state directories of the field's programs have. */
const KNOWN_NAMES = ["empathy_state", "attune_state"];

/** Directories and files whose JSON looks like a state and is none. */
const LOOK_ALIKE_DIRECTORY = /^(?:sessions|compact_states)$/;
const LOOK_ALIKE_FILE = /^session_.*\.json$/;

/** True for a directory of a name that only state directories have. */
export function hasStateName(path: string): boolean {
  return KNOWN_NAMES.includes(basename(path));
}

/**
 * True when a directory holds collaboration states: by its name, or by what its JSON files hold.
 *
 * @param inStates It lies in a state directory: then it is part of that one, whatever it holds, unless its name says otherwise.
 */
export function isStateDirectory(path: string, inStates: boolean): boolean {
  if (hasStateName(path)) return true;
  if (LOOK_ALIKE_DIRECTORY.test(basename(path))) return false;
  const isCalledState = basename(path) === "state";
  if (inStates && !isCalledState) return false;
  // All of them, until the first state: it may stand behind any number of other files.
  return someEntry(
    path,
    (entry) =>
      entry.isFile() &&
      entry.name.endsWith(".json") &&
      !LOOK_ALIKE_FILE.test(entry.name) &&
      (isCalledState || looksLikeState(join(path, entry.name))),
  );
}

/** Every state has these two keys, in the specification and in the field; a file that was cut in half may have them still. */
function looksLikeState(path: string): boolean {
  const keys = topLevelKeys(headOf(path));
  return keys.has("trust_level") && keys.has("user_id") && !isPatternLibrary(keys);
}
