import { type EntryName, shownName } from "./entry_name.ts";
import { brokenState, readState, type StateReading } from "./read_state.ts";
import { type Companion, userOf } from "./state_files.ts";
import type { Entry } from "./walk_tree.ts";

/** A state as the table of states shows it. */
export interface UserState extends StateReading {
  user: EntryName;
}

/** No state is anywhere near as big; a bigger file is kept as bytes and not taken apart. */
const MAX_STATE_BYTES = 16 * 1024 * 1024;

/** What the table of states says of a state file. A link is kept as a link; what it leads to is not part of the directory. */
export function readingOf(
  root: string,
  { name, kind }: Pick<Entry, "name" | "kind">,
  content: Buffer,
  companion: Companion,
): UserState {
  const user = userOf(name, companion);
  if (kind === "link")
    return {
      user,
      ...brokenState(
        `a symbolic link to ${content.toString("utf8")}; the link is kept, what it leads to is not in here`,
      ),
    };
  if (content.length > MAX_STATE_BYTES)
    return {
      user,
      ...brokenState(`${content.length} bytes, more than the ${MAX_STATE_BYTES} that a state can have; they are kept`),
    };
  return { user, ...readState(content, shownName(user), `${root}/${shownName(name)}`) };
}
