import { answers, ok, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";
import { takesUsersFor } from "./state_file_mutations.ts";
import { deletesFromMemory, findsByBeginning, listsMemory, savesToMemory } from "./state_session_faults.ts";

/** State managers that are right as long as they are open, and wrong when their directory is opened again. */
export const STATE_SESSION_MUTANTS: readonly Mutant[] = [
  row(
    "saves a state that it loaded to its memory only",
    "R-4.4/save-state",
    15,
    "state/saved-again-reopened",
    savesToMemory(),
  ),
  row(
    "deletes the states of earlier sessions from its memory only",
    "R-4.4/delete",
    15,
    "state/deleted-reopened",
    deletesFromMemory(),
  ),
  row(
    "reads its directory for a list of users only when it knows none",
    "R-4.4/list-users",
    15,
    "state/list-users-reopened",
    listsMemory(),
  ),
  row(
    "names its files in small letters",
    "R-4.4/save-load",
    15,
    "state/ids-apart",
    takesUsersFor((id) => id.toLowerCase()),
  ),
  row(
    "finds the file of a user by the beginning of its name",
    "R-4.4/save-load",
    15,
    "state/ids-apart",
    findsByBeginning(),
  ),
  row(
    "has a state for the name of a built-in property",
    "X-ordinary-keys",
    15,
    "state/ordinary-keys",
    answers("load_state", (answer, { args }) =>
      "value" in answer && answer.value === null && String(args.user_id) in {} ? ok(answer, {}) : answer,
    ),
  ),
];
