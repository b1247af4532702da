import { renameSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "../../values/json_value.ts";
import { answers, ok, receives, row } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";
import { lists, loads, raises, saves, takesUsersFor, touches } from "./state_file_mutations.ts";

const FIELDS =
  /^(user_id|trust_level|(current|target)_level|(interaction|success|failure)_count|last_interaction|created_at)$/;
const described = (state: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(state).filter(([key]) => FIELDS.test(key)));
const renames = (from: string, to: string): Mutation =>
  touches("save_state", (directory, { args }) => {
    if (args.user_id === "alice" || args.user_id === "team:7") renameSync(join(directory, from), join(directory, to));
  });
/** Answers for some users as if the file said something else. */
const loadsFor = (user: RegExp, given: JsonValue): Mutation =>
  answers("load_state", (answer, { args }) => (user.test(args.user_id as string) ? ok(answer, given) : answer));
const movesAway = touches("load_state", (directory, { args }, answer) => {
  const file = join(directory, `${String(args.user_id)}.json`);
  if (answer.type === "error") renameSync(file, `${file}.broken`);
});
const mutant = (name: string, requirement: string, kills: string, mutation: Mutation): Mutant =>
  row(name, requirement, 15, kills, mutation);

/** State managers that answer open questions otherwise than ruled. */
export const STATE_RULING_MUTANTS: readonly Mutant[] = [
  mutant(
    "ends the names of its files in .state",
    "U-state-file",
    "state/file-name",
    renames("alice.json", "alice.state"),
  ),
  mutant(
    "names its files by the raw id",
    "U-state-file",
    "state/unsafe-file-name",
    renames("team%3a7.json", "team:7.json"),
  ),
  mutant(
    "lists plain ids only",
    "U-state-file",
    "state/hostile-ids",
    lists((ids) => ids.filter((id) => /^\w+$/.test(id))),
  ),
  mutant(
    "writes an underscore for each unsafe character",
    "U-state-file",
    "state/hostile-ids",
    takesUsersFor((id) => id.replaceAll(/[^\w.-]/g, "_")),
  ),
  mutant(
    "brings user ids into one Unicode form",
    "U-state-file",
    "state/hostile-ids",
    takesUsersFor((id) => id.normalize("NFC")),
  ),
  mutant(
    "cuts user ids to two hundred characters",
    "U-state-file",
    "state/long-id",
    takesUsersFor((id) => id.slice(0, 200)),
  ),
  mutant("does not find files under the raw id", "U-state-file", "state/legacy-names", loadsFor(/ |^\./, null)),
  mutant(
    "reads every name with a percent sign as an escape",
    "U-state-file",
    "state/legacy-escapes",
    lists((ids) => ids.map((id) => (/%[0-9a-f]{2}/i.test(id) ? decodeURIComponent(id) : id))),
  ),
  mutant(
    "takes capitals and small letters of a user id for the same",
    "U-state-file",
    "state/legacy-capitals",
    takesUsersFor((id) => (id === "Alice" ? "alice" : id)),
  ),
  mutant(
    "lists every file of the directory",
    "U-state-file",
    "state/foreign-files",
    lists((ids) => [...ids, "notes"]),
  ),
  mutant(
    "looks for keys before it decodes escapes",
    "U-state-file",
    "state/load-made-by-hand",
    loads((state) => Object.fromEntries(Object.entries(state).filter(([key]) => key !== "trust_level"))),
  ),
  mutant(
    "demands every field of a state",
    "U-state-file",
    "state/load-minimal",
    answers("load_state", (answer) =>
      "value" in answer && Object.keys(answer.value as JsonObject).length < 9 ? raises(answer, "KeyError") : answer,
    ),
  ),
  mutant(
    "does not decode names that others encoded",
    "U-state-file",
    "state/load-other-programs",
    lists((ids) => ids.map((id) => id.replace("/", "%2f"))),
  ),
  mutant(
    "keeps its states in ./.states by default",
    "U-state-dir",
    "state/default-directory",
    receives("StateManager", (args, directory) => ({ state_dir: join(directory, ".states"), ...args })),
  ),
  mutant(
    "takes a broken state for an unknown user",
    "U-state-corrupt",
    "state/corrupt",
    answers("load_state", (answer) => (answer.type === "error" ? ok(answer) : answer)),
  ),
  mutant("moves a broken file away", "U-state-corrupt", "state/corrupt", movesAway),
  mutant(
    "takes an empty file for an unknown user",
    "U-state-corrupt",
    "state/corrupt-bytes",
    loadsFor(/^empty$/, null),
  ),
  mutant(
    "does not look at the types of fields",
    "U-state-corrupt",
    "state/corrupt-fields",
    loadsFor(/^fraction$/, { user_id: "fraction", trust_level: 0.75, interaction_count: 2.5 }),
  ),
  mutant(
    "saves the state of another user",
    "U-state-user-mismatch",
    "state/user-mismatch",
    saves((state, userId) => ({ ...state, user_id: userId })),
  ),
  mutant(
    "takes a state without a user for the argument's",
    "U-state-user-mismatch",
    "state/user-missing",
    saves((state, userId) => ({ ...state, user_id: state.user_id ?? userId })),
  ),
  mutant("drops keys that it does not know", "U-state-extra", "state/extra-keys", loads(described)),
  mutant("saves the keys that it knows", "U-state-extra", "state/extra-keys-by-hand", saves(described)),
  mutant(
    "knows nothing of the names of older programs",
    "U-state-field-keys",
    "state/field-keys",
    loads((state) =>
      state.interaction_count === state.total_interactions ? { ...state, interaction_count: 0 } : state,
    ),
  ),
  mutant(
    "prefers the names of older programs",
    "U-state-field-keys",
    "state/field-keys",
    loads((state) => ({ ...state, interaction_count: state.total_interactions ?? state.interaction_count ?? 0 })),
  ),
];
