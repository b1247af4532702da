import { basename, dirname, join } from "node:path";
import { directoryCompanion, userOf } from "../archive/states/state_files.ts";
import { nameFromText, shownName } from "../archive/format/entry_name.ts";
import { entriesIn } from "../io/entries.ts";
import { headOf, isPatternLibrary, scalarAt, topLevelValues } from "../io/json_head.ts";

/** Names that only state directories of the field's programs have: with `.empathy/state` and `.attune/state`. */
const KNOWN_NAMES = ["empathy_state", "attune_state"];
const KNOWN_PARENTS = [".empathy", ".attune"];

/** How programs of version 15 call it by themselves; many other programs have such a directory too. */
const DEFAULT_NAME = "state";

/** Directories and files whose JSON looks like a state and is none. */
const LOOK_ALIKE_DIRECTORY = /^(?:sessions|compact_states)$/;
const LOOK_ALIKE_FILE = /^session_.*\.json$/;

/** Whether a directory holds collaboration states. */
interface Judgement {
  isState: boolean;
  /** Why it might hold states although it does not count; null where nothing looks like that. */
  doubt: string | null;
}

/** True for a directory of a name that only state directories have. */
export function hasStateName(path: string): boolean {
  const name = basename(path);
  return KNOWN_NAMES.includes(name) || (name === DEFAULT_NAME && KNOWN_PARENTS.includes(basename(dirname(path))));
}

/**
 * Says whether a directory holds collaboration states: by its name; where it is called `state`, by a file in it that
 * looks like one; elsewhere by one that is the state of the user whom its name stands for. One file that merely looks like
 * a state, as a test may need it, does not make a project a directory of states.
 *
 * @param inStates It lies in a state directory: then it is part of that one, whatever it holds, unless its name says otherwise.
 */
export function judgeDirectory(path: string, inStates: boolean): Judgement {
  const isState = { isState: true, doubt: null };
  if (hasStateName(path)) return isState;
  const isCalledState = basename(path) === DEFAULT_NAME;
  if (LOOK_ALIKE_DIRECTORY.test(basename(path)) || (inStates && !isCalledState)) return { isState: false, doubt: null };
  let doubt: string | null = null;
  // All of them, until the first state: it may stand behind any number of other files.
  for (const entry of entriesIn(path)) {
    if (!entry.isFile() || !entry.name.endsWith(".json") || LOOK_ALIKE_FILE.test(entry.name)) continue;
    const found = userIn(join(path, entry.name));
    if (found !== undefined && (isCalledState || isUserOf(entry.name, found.user, path))) return isState;
    if (found !== undefined) doubt = `${entry.name} in it looks like a state, but of another user than its name says`;
    else if (isCalledState) doubt ??= "no JSON file in it looks like a state";
  }
  return {
    isState: false,
    doubt:
      doubt === null || inStates ? null : `not taken for states: ${doubt}; if it holds states, name it with --states`,
  };
}

/**
 * Every state has these two keys, in the specification and in the field; a file that was cut in half may have them still.
 *
 * @returns The user, where there is one to be seen; undefined for what looks like no state.
 */
function userIn(path: string): { user: string | undefined } | undefined {
  const text = headOf(path);
  const values = topLevelValues(text);
  const place = values.get("user_id");
  if (place === undefined || !values.has("trust_level") || isPatternLibrary(values)) return undefined;
  return { user: scalarAt(text, place) };
}

/** File systems may compose or decompose letters of a name. */
function isUserOf(file: string, user: string | undefined, directory: string): boolean {
  const named = shownName(userOf(nameFromText(file), directoryCompanion(directory)));
  return user?.normalize() === named.normalize();
}
