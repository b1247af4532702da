import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, isTaggedNumber, tokenOf } from "../../../../packages/conformance/src/values/json_value.ts";
import type { JsonObject, JsonValue } from "../../../../packages/conformance/src/values/json_value.ts";
import { answers, ignores, ok, receives, refusal, row, value } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";
import {
  deletesFromMemory,
  editsState,
  findsByBeginning,
  forgetful,
  lists,
  listsMemory,
  loads,
  neverForgets,
  refusesOnce,
  saves,
  savesToMemory,
  takesUsersFor,
  touches,
} from "./state_mutations.ts";

const without = (state: JsonObject, key: string): JsonObject =>
  Object.fromEntries(Object.entries(state).filter(([name]) => name !== key));

/** Changes one field of a state. */
const field =
  (key: string, change: (before: JsonValue | undefined) => JsonValue) =>
  (state: JsonObject): JsonObject => ({ ...state, [key]: change(state[key]) });
const mutant = (name: string, requirement: string, kills: string, mutation: Mutation): Mutant =>
  row(name, requirement, 15, kills, mutation);

const FIELDS =
  /^(user_id|trust_level|(current|target)_level|(interaction|success|failure)_count|last_interaction|created_at)$/;
const described = (state: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(state).filter(([key]) => FIELDS.test(key)));
const renames = (from: string, to: string): Mutation =>
  touches("save_state", (directory, { args }) => {
    if (args.user_id === "alice" || args.user_id === "team:7") renameSync(join(directory, from), join(directory, to));
  });
/** Returns a given answer for some users. */
const loadsFor = (user: RegExp, given: JsonValue): Mutation =>
  answers("load_state", (answer, { args }) => (user.test(args.user_id as string) ? ok(answer, given) : answer));
const movesAway = touches("load_state", (directory, { args }, answer) => {
  const file = join(directory, `${String(args.user_id)}.json`);
  if (answer.type === "error") renameSync(file, `${file}.broken`);
});

/** Changes every value of a state, from the outside in. */
const everywhere =
  (change: (part: JsonValue, depth: number) => JsonValue) =>
  (state: JsonObject): JsonValue => {
    const walk = (before: JsonValue, depth: number): JsonValue => {
      const changed = change(before, depth);
      if (Array.isArray(changed)) return changed.map((item) => walk(item, depth + 1));
      if (!isObject(changed) || isTaggedNumber(changed)) return changed;
      return Object.fromEntries(Object.entries(changed).map(([key, part]) => [key, walk(part, depth + 1)]));
    };
    return walk(state, 0);
  };
const texts = (change: (text: string) => string): ((state: JsonObject) => JsonValue) =>
  everywhere((part) => (typeof part === "string" ? change(part) : part));

/** Reverses the list of users every second time. */
function restless(): Mutation {
  let times = 0;
  return lists((users) => (times++ % 2 === 0 ? users : users.toReversed()));
}

/** Adds the keys that only the former state of the user has. */
function merges(): Mutation {
  const former = new Map<string, JsonObject>();
  return {
    begins: () => former.clear(),
    ...saves((state, userId) => {
      const merged = { ...former.get(String(userId)), ...state };
      former.set(String(userId), merged);
      return merged;
    }),
  };
}

/** Caches the states that each manager loaded. */
function caching(): Mutation {
  const loaded = new Map<string, JsonValue>();
  return {
    answer(request, answer) {
      if (request.op === "StateManager") loaded.clear();
      if (request.op !== "load_state") return answer;
      const key = `${request.handle} ${String(request.args.user_id)}`;
      if ("value" in answer && !loaded.has(key)) loaded.set(key, answer.value as JsonValue);
      return ok(answer, loaded.get(key));
    },
  };
}

/** Faults of state managers and their files (pre-16). */
export const STATES: readonly Mutant[] = [
  // States that violate sections 2.8, 4.4 and 7.
  row(
    "writes a state in lines of keys and values",
    "R-2.8/json",
    15,
    "state/json",
    touches("save_state", (directory, { args }) => {
      const lines = Object.entries(args.state as JsonObject).map(([key, part]) => `${key} = ${String(part)}`);
      writeFileSync(join(directory, `${String(args.user_id)}.json`), lines.join("\n"));
    }),
  ),
  row("writes a state as text inside JSON", "R-2.8/json.file", 15, "state/json-file", editsState(JSON.stringify)),
  row(
    "writes a document with a key for each user",
    "R-2.8/json.file",
    15,
    "state/json-file",
    editsState((state) => ({ [String(state.user_id)]: state })),
  ),
  row(
    "keeps its states outside state_dir",
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
    "does not return the target level",
    "R-2.8/fields",
    15,
    "state/fields",
    loads((state) => without(state, "target_level")),
  ),
  row("keeps states only while it is open", "R-4.4/save-load", 15, "state/save-then-load", forgetful()),
  row(
    "reads the text after a dot in a user id as an extension",
    "R-4.4/save-load",
    15,
    "state/similar-ids",
    takesUsersFor((id) => id.replace(/\.[^.]*$/, "")),
  ),
  row("keeps the first state of a user", "R-4.4/save-state", 15, "state/resaved", refusesOnce("save_state")),
  row(
    "does not save for a user who was deleted",
    "R-4.4/save-state",
    15,
    "state/deleted-then-saved",
    refusesOnce("delete_state"),
  ),
  row(
    "returns a new state for an unknown user",
    "R-4.4/load-unknown",
    15,
    "state/load-unknown",
    answers("load_state", (answer, { args }) =>
      value(answer, (state) => state ?? { user_id: args.user_id as string, trust_level: 0.5 }),
    ),
  ),
  row(
    "raises an error for an unknown user",
    "R-7/state.no-raise",
    15,
    "state/load-unknown",
    answers("load_state", (answer) =>
      "value" in answer && answer.value === null ? refusal(answer, "FileNotFoundError") : answer,
    ),
  ),
  row(
    "raises an error if there is nothing to delete",
    "R-7/state.no-raise",
    15,
    "state/delete-unknown",
    answers("delete_state", (answer) =>
      "value" in answer && answer.value === false ? refusal(answer, "FileNotFoundError") : answer,
    ),
  ),
  row(
    "always reports a deletion",
    "R-4.4/delete-unknown",
    15,
    "state/delete-unknown",
    answers("delete_state", (answer) => ok(answer, true)),
  ),
  row("reports a deletion and keeps the state", "R-4.4/delete", 15, "state/delete", {
    before: (request) => (request.op === "delete_state" ? ok(request, true) : request),
  }),
  row(
    "does not report a deletion",
    "R-4.4/delete",
    15,
    "state/delete",
    answers("delete_state", (answer) => ok(answer)),
  ),
  row(
    "deletes the states of users with a common prefix",
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
    "lists file names",
    "R-4.4/list-users",
    15,
    "state/list-users",
    lists((ids) => ids.map((id) => `${id}.json`)),
  ),
  row(
    "returns the users as a single text",
    "R-4.4/list-users",
    15,
    "state/list-users",
    lists((ids) => ids.join(",")),
  ),
  row("lists users whose state was deleted", "R-4.4/list-users", 15, "state/list-users-once", neverForgets()),
  row("does nothing when it saves", "R-4.4/save-state", 15, "state/resaved", ignores("save_state")),
  row(
    "saves a state under the user id of the argument",
    "U-state-user-mismatch",
    15,
    "state/user-mismatch-fate",
    receives("save_state", ({ user_id, state }) => ({
      user_id: user_id as string,
      state: { ...(state as object), user_id: user_id as string },
    })),
  ),

  // Faults of state managers that appear only when their directory is reopened.
  row("saves a loaded state only in memory", "R-4.4/save-state", 15, "state/resaved-reopened", savesToMemory()),
  row(
    "deletes states of earlier sessions only in memory",
    "R-4.4/delete",
    15,
    "state/deleted-reopened",
    deletesFromMemory(),
  ),
  row(
    "reads its directory only if it knows no users",
    "R-4.4/list-users",
    15,
    "state/list-users-reopened",
    listsMemory(),
  ),
  row(
    "names its files in lower case",
    "R-4.4/save-load",
    15,
    "state/ids-apart",
    takesUsersFor((id) => id.toLowerCase()),
  ),
  row(
    "takes the last part of an id with slashes for the user",
    "R-4.4/save-load",
    15,
    "state/slashes-refused-or-kept",
    takesUsersFor((id) => id.replace(/^.*\//, "")),
  ),
  row(
    "lists ids with slashes by their last part",
    "R-4.4/list-users",
    15,
    "state/slashes-refused-or-kept",
    lists((users) => users.map((id) => id.replace(/^.*\//, ""))),
  ),
  row(
    "decodes percent signs in ids",
    "R-4.4/save-load",
    15,
    "state/codes-refused-or-kept",
    takesUsersFor((id) => id.replace("%41", "A")),
  ),
  row("finds the file of a user by a prefix", "R-4.4/save-load", 15, "state/ids-apart", findsByBeginning()),
  row(
    "returns a state for the name of a built-in property",
    "X-ordinary-keys",
    15,
    "state/ordinary-keys",
    answers("load_state", (answer, { args }) =>
      "value" in answer && answer.value === null && String(args.user_id) in {} ? ok(answer, {}) : answer,
    ),
  ),

  // States whose fields violate section 2.8.
  mutant(
    "reads a user id of digits as a number",
    "R-2.8/user-id",
    "state/user-id",
    loads(field("user_id", (id) => (/^\d+$/.test(String(id)) ? Number(id) : String(id)))),
  ),
  mutant(
    "writes a user id of digits as a number",
    "R-2.8/json.file",
    "state/user-id-in-file",
    editsState(field("user_id", (id) => (id === "42" ? 42 : String(id)))),
  ),
  mutant(
    "rounds the trust level to hundredths",
    "R-2.8/trust-level",
    "state/trust-level",
    saves(field("trust_level", (trust) => Math.round(Number(trust) * 100) / 100)),
  ),
  mutant(
    "reads a trust level of 0 as missing",
    "R-2.8/trust-level",
    "state/trust-level",
    loads(field("trust_level", (trust) => (trust as number) || 0.5)),
  ),
  mutant(
    "writes the trust level as text",
    "R-2.8/trust-level",
    "state/trust-level",
    editsState(field("trust_level", String)),
  ),
  mutant(
    "returns the target level as the current one",
    "R-2.8/levels",
    "state/levels",
    loads((state) => ({ ...state, current_level: state.target_level ?? null })),
  ),
  mutant(
    "raises the target level to the current one",
    "R-2.8/levels",
    "state/levels",
    saves((state) => ({ ...state, target_level: Math.max(Number(state.current_level), Number(state.target_level)) })),
  ),
  mutant("writes levels as text", "R-2.8/levels", "state/levels", editsState(field("current_level", String))),
  mutant(
    "reads a count of 0 as missing",
    "R-2.8/counts",
    "state/counts",
    loads(field("success_count", (count) => (count as number) || null)),
  ),
  mutant(
    "counts failures among the successes",
    "R-2.8/counts",
    "state/counts",
    saves((state) => ({ ...state, success_count: state.interaction_count ?? null })),
  ),
  mutant(
    "keeps only dates",
    "R-2.8/timestamps",
    "state/timestamps",
    saves(field("created_at", (moment) => `${String(moment).slice(0, 10)}T00:00:00`)),
  ),
  mutant(
    "sets last_interaction to the time of saving",
    "R-2.8/timestamps",
    "state/timestamps",
    saves(field("last_interaction", () => new Date().toISOString().slice(0, 19))),
  ),
  mutant(
    "converts timestamps to another zone",
    "R-2.8/timestamps",
    "state/timestamps",
    loads(
      field("last_interaction", (moment) => new Date(Date.parse(`${String(moment)}+02:00`)).toISOString().slice(0, 19)),
    ),
  ),

  // State managers whose answers to open questions differ from the rulings.
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
    "normalises user ids",
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
    "compares user ids without regard to case",
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
    "matches keys before it decodes escapes",
    "U-state-file",
    "state/load-made-by-hand",
    loads((state) => Object.fromEntries(Object.entries(state).filter(([key]) => key !== "trust_level"))),
  ),
  mutant(
    "requires every field of a state",
    "U-state-file",
    "state/load-minimal",
    answers("load_state", (answer) =>
      "value" in answer && Object.keys(answer.value as JsonObject).length < 9 ? refusal(answer, "KeyError") : answer,
    ),
  ),
  mutant(
    "does not decode file names of other programs",
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
    "reports a broken state as an unknown user",
    "U-state-corrupt",
    "state/corrupt",
    answers("load_state", (answer) => (answer.type === "error" ? ok(answer) : answer)),
  ),
  mutant("moves a broken file away", "U-state-corrupt", "state/corrupt", movesAway),
  mutant(
    "reports an empty file as an unknown user",
    "U-state-corrupt",
    "state/corrupt-bytes",
    loadsFor(/^empty$/, null),
  ),
  mutant(
    "does not check the types of fields",
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
    "takes the user of a state from the argument",
    "U-state-user-mismatch",
    "state/user-missing",
    saves((state, userId) => ({ ...state, user_id: state.user_id ?? userId })),
  ),
  mutant("drops unknown keys", "U-state-extra", "state/extra-keys", loads(described)),
  mutant("saves only known keys", "U-state-extra", "state/extra-keys-by-hand", saves(described)),
  mutant(
    "does not read field names of older programs",
    "U-state-field-keys",
    "state/field-keys",
    loads((state) =>
      state.interaction_count === state.total_interactions ? { ...state, interaction_count: 0 } : state,
    ),
  ),
  mutant(
    "prefers field names of older programs",
    "U-state-field-keys",
    "state/field-keys",
    loads((state) => ({ ...state, interaction_count: state.total_interactions ?? state.interaction_count ?? 0 })),
  ),

  // Faults with unusual text, sizes, orders of calls and foreign files.
  mutant(
    "reads numbers as doubles",
    "U-state-extra",
    "state/extra-numbers",
    loads(everywhere((part) => (isTaggedNumber(part) ? Math.min(Number(tokenOf(part)), Number.MAX_VALUE) : part))),
  ),
  mutant(
    "accepts a NUL in a user id",
    "U-text",
    "state/unfit-ids",
    answers("save_state", (answer, { args }) => (String(args.user_id).includes("\0") ? ok(answer) : answer)),
  ),
  mutant(
    "replaces lone surrogates in states",
    "U-text",
    "state/any-text",
    saves(texts((text) => Buffer.from(text).toString())),
  ),
  mutant("ends text at a NUL", "U-text", "state/any-text", loads(texts((text) => text.split("\0")[0] as string))),
  mutant(
    "refuses to delete before the first save",
    "U-lifecycle",
    "state/any-order",
    answers("delete_state", (answer) =>
      "value" in answer && answer.value === true ? answer : refusal(answer, "Error"),
    ),
  ),
  mutant(
    "holds counts in 32 bits",
    "U-limits",
    "state/limits",
    loads((state) => ({ ...state, success_count: Number(state.success_count) | 0 })),
  ),
  mutant(
    "refuses states of more than a megabyte",
    "U-limits",
    "state/limits",
    answers("save_state", (answer, { args }) =>
      JSON.stringify(args).length > 1e6 ? refusal(answer, "Error") : answer,
    ),
  ),
  mutant(
    "loses a key that is called __proto__",
    "X-ordinary-keys",
    "state/ordinary-keys-inside",
    loads((state) => Object.fromEntries(Object.entries(state).filter(([key]) => key !== "__proto__"))),
  ),
  mutant(
    "leaves a temporary file",
    "X-no-leftovers",
    "state/no-leftovers",
    touches("save_state", (directory) => writeFileSync(join(directory, "alice.json.tmp"), "{}")),
  ),
  mutant(
    "writes before it checks the state",
    "X-failed-save",
    "state/failed-save",
    touches("save_state", (directory, { args }, answer) => {
      if (answer.type === "error") writeFileSync(join(directory, `${String(args.user_id)}.json`), "");
    }),
  ),
  mutant(
    "lists at most a thousand users",
    "R-8/counts",
    "state/many-users",
    lists((users) => users.slice(0, 1000)),
  ),
  mutant(
    "takes a long id for one that begins alike",
    "R-8/sizes",
    "state/long-ids",
    takesUsersFor((user) => user.slice(0, 128)),
  ),
  mutant(
    "writes the state of a path outside of its directory",
    "R-4.4/state-dir",
    "state/ids-in-directory",
    touches("save_state", (directory, { args }) => {
      writeFileSync(join(directory, `${String(args.user_id).replaceAll("x/../", "")}.json`), "{}");
    }),
  ),
  mutant("writes a count as text", "R-2.8/counts", "state/fields-in-file", editsState(field("failure_count", String))),
  mutant("returns the state that it saved", "R-4.4/save-state.returns", "state/save-returns-nothing", {
    answer: (request, answer) =>
      request.op === "save_state" && answer.type === "ok" ? ok(answer, request.args.state) : answer,
  }),
  mutant("merges a state with the former one", "R-4.4/save-load", "state/resaved-whole", merges()),
  mutant(
    "composes letters of user ids",
    "R-2.8/user-id",
    "state/exact-ids",
    takesUsersFor((id) => id.normalize("NFC")),
  ),
  mutant(
    "lists users without the blanks at the ends of their ids",
    "R-4.4/list-users",
    "state/exact-ids",
    lists((users) => users.map((user) => user.trim())),
  ),
  mutant(
    "cuts user ids to 64 characters",
    "R-8/sizes",
    "state/long-ids",
    takesUsersFor((id) => id.slice(0, 64)),
  ),
  mutant(
    "writes counts as text",
    "R-2.8/json.file",
    "state/counts-in-file",
    editsState(field("interaction_count", String)),
  ),
  mutant(
    "writes levels into the file as text",
    "R-2.8/json.file",
    "state/levels-in-file",
    editsState(field("current_level", String)),
  ),
  mutant(
    "writes the trust level into the file as text",
    "R-2.8/json.file",
    "state/trust-level-in-file",
    editsState(field("trust_level", String)),
  ),
  mutant(
    "writes a second file for a state",
    "R-2.8/json.file",
    "state/file-per-user",
    touches("save_state", (directory, { args }) => writeFileSync(join(directory, `${String(args.user_id)}.bak`), "")),
  ),
  mutant("cuts text to 64 KiB", "X-long-text", "state/long-text", saves(texts((text) => text.slice(0, 65_536)))),
  mutant(
    "reads at most sixty-four levels of nesting",
    "X-deep-values",
    "state/deep-values",
    saves(everywhere((part, depth) => (depth > 64 ? null : part))),
  ),
  mutant(
    "rewrites a file when it loads it",
    "X-files-untouched",
    "state/files-untouched",
    touches("load_state", (directory) => {
      for (const name of existsSync(directory) ? readdirSync(directory) : []) {
        const file = join(directory, name);
        writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, "utf8"))));
      }
    }),
  ),
  mutant("lists users in no fixed order", "X-repeatable", "state/repeatable", restless()),
  mutant("caches loaded states", "X-two-handles", "state/two-handles", caching()),
];
