import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../values/json_value.ts";
import { answers, ignores, ok, receives, row, value } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";
import { forgetful, neverForgets, refusesOnce } from "./state_memory_faults.ts";
import { editsState, lists, loads, raises, takesUsersFor, touches } from "./state_file_mutations.ts";

const without = (state: JsonObject, key: string): JsonObject =>
  Object.fromEntries(Object.entries(state).filter(([name]) => name !== key));

/** States that break what sections 2.8, 4.4 and 7 say. */
export const STATE_MANAGER_MUTANTS: readonly Mutant[] = [
  row("writes a state as text inside JSON", "R-2.8/json", 15, "state/json-file", editsState(JSON.stringify)),
  row(
    "writes a document with a key for each user",
    "R-2.8/json",
    15,
    "state/json-file",
    editsState((state) => ({ [String(state.user_id)]: state })),
  ),
  row(
    "keeps its states beside state_dir",
    "R-4.4/state-dir",
    15,
    "state/two-directories",
    receives("StateManager", (_args, directory) => ({ state_dir: join(directory, "elsewhere") })),
  ),
  row(
    "has one directory for all managers",
    "R-4.4/state-dir",
    15,
    "state/two-directories",
    receives("StateManager", (_args, directory) => ({ state_dir: join(directory, "first") })),
  ),
  row(
    "does not give the target level back",
    "R-2.8/fields",
    15,
    "state/fields",
    loads((state) => without(state, "target_level")),
  ),
  row("keeps states while it is open only", "R-4.4/save-load", 15, "state/save-then-load", forgetful()),
  row(
    "takes what follows a dot in a user id for the extension of the file",
    "R-4.4/save-load",
    15,
    "state/similar-ids",
    takesUsersFor((id) => id.replace(/\.[^.]*$/, "")),
  ),
  row("keeps the first state of a user", "R-4.4/save-state", 15, "state/saved-again", refusesOnce("save_state")),
  row(
    "does not save for a user who was deleted",
    "R-4.4/save-state",
    15,
    "state/deleted-then-saved",
    refusesOnce("delete_state"),
  ),
  row(
    "gives an unknown user a new state",
    "R-4.4/load-unknown",
    15,
    "state/load-unknown",
    answers("load_state", (answer, { args }) =>
      value(answer, (state) => state ?? { user_id: args.user_id as string, trust_level: 0.5 }),
    ),
  ),
  row(
    "raises when it loads for an unknown user",
    "R-7/state.no-raise",
    15,
    "state/load-unknown",
    answers("load_state", (answer) =>
      "value" in answer && answer.value === null ? raises(answer, "FileNotFoundError") : answer,
    ),
  ),
  row(
    "raises when there is nothing to delete",
    "R-7/state.no-raise",
    15,
    "state/delete-unknown",
    answers("delete_state", (answer) =>
      "value" in answer && answer.value === false ? raises(answer, "FileNotFoundError") : answer,
    ),
  ),
  row(
    "always deleted something",
    "R-4.4/delete-unknown",
    15,
    "state/delete-unknown",
    answers("delete_state", (answer) => ok(answer, true)),
  ),
  row("says that it deleted and keeps the state", "R-4.4/delete", 15, "state/delete", {
    before: (request) => (request.op === "delete_state" ? ok(request, true) : request),
  }),
  row(
    "does not say that it deleted",
    "R-4.4/delete",
    15,
    "state/delete",
    answers("delete_state", (answer) => ok(answer)),
  ),
  row(
    "deletes the states of users whose ids begin alike",
    "R-4.4/delete",
    15,
    "state/delete-only-that",
    touches("delete_state", (directory, { args }) => {
      for (const name of readdirSync(directory)) {
        if (name.startsWith(args.user_id as string)) rmSync(join(directory, name));
      }
    }),
  ),
  row(
    "lists names of files",
    "R-4.4/list-users",
    15,
    "state/list-users",
    lists((ids) => ids.map((id) => `${id}.json`)),
  ),
  row(
    "gives the users as one text",
    "R-4.4/list-users",
    15,
    "state/list-users",
    lists((ids) => ids.join(",")),
  ),
  row("lists users whose state was deleted", "R-4.4/list-users", 15, "state/list-users-once", neverForgets()),
  row("does nothing when it saves", "R-4.4/save-state", 15, "state/saved-again", ignores("save_state")),
];
