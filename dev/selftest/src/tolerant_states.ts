import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeUserId } from "@perdura/internals/state/file_names.js";
import { isObject } from "../../../packages/conformance/src/values/json_value.ts";
import type { JsonObject, JsonValue } from "../../../packages/conformance/src/values/json_value.ts";
import type { Answer } from "../../../packages/conformance/src/protocol/messages.ts";
import { answers, refusal, value } from "./mutants/mutations.ts";
import type { Call, Mutation } from "./mutants/mutations.ts";
import { STATE_FIELDS, type Tolerance } from "./tolerance.ts";

const STATES = ["StateManager", "save_state", "load_state", "delete_state"];

/** The file of a user: that with the encoded id, or, where a habit names files by the ids, that with the id. */
function fileOf(directory: string, userId: string): string {
  const [encoded, raw] = [encodeUserId(userId), userId].map((name) => join(directory, `${name}.json`)) as [
    string,
    string,
  ];
  const isOwn = isName(userId) && raw !== encoded && existsSync(raw) && stateIn(raw).user_id === userId;
  return isOwn ? raw : encoded;
}

/** An id that can be the name of a file. */
const isName = (userId: JsonValue | undefined): boolean =>
  typeof userId === "string" && /^[^/\0]+$/.test(userId) && Buffer.byteLength(userId) <= 250;

/** The state in an existing file; none if it is not one. */
function stateIn(file: string): JsonObject {
  try {
    const state = JSON.parse(readFileSync(file, "utf8")) as JsonValue;
    return isObject(state) ? state : {};
  } catch {
    return {};
  }
}

/** Changes what the operations of a manager do with the file of a user. */
function withFiles(
  answer: (request: Call, given: Answer, file: string, directory: string) => Answer,
  before: (request: Call) => Call | Answer = (request) => request,
): Mutation {
  const directories = new Map<string | undefined, string>();
  return {
    ops: STATES,
    before(request) {
      if (request.op === "StateManager") directories.set(request.keep, String(request.args.state_dir));
      return STATES.includes(request.op) ? before(request) : request;
    },
    answer(request, given) {
      const directory = directories.get(request.handle);
      const { user_id: userId } = request.args;
      if (!STATES.includes(request.op) || directory === undefined || typeof userId !== "string") return given;
      return answer(request, given, fileOf(directory, userId), directory);
    },
  };
}

/** Names each file by the id itself, and refuses ids that cannot be names. */
const namesFilesByIds: Mutation = withFiles(
  (request, given, file, directory) => {
    if (request.op === "save_state" && given.type === "ok" && existsSync(file)) {
      const name = `${String(request.args.user_id)}.json`;
      renameSync(file, join(directory, name));
    }
    return given;
  },
  (request) => (request.op === "save_state" && !isName(request.args.user_id) ? refusal(request) : request),
);

/** Saves a state under the user that it names, for the user of the argument. */
function savesNamedUsers(): Mutation {
  const named = new Map<string, string>();
  return withFiles(
    ({ op, args }, given, file) => {
      const user = isObject(args.state) ? args.state.user_id : undefined;
      if (op === "save_state" && given.type === "ok") {
        named.delete(file);
        if (typeof user !== "string" || user === args.user_id) return given;
        named.set(file, user);
        writeFileSync(file, JSON.stringify({ ...stateIn(file), user_id: user }));
      }
      const owner = named.get(file);
      return op === "load_state" && owner !== undefined
        ? value(given, (state) => (isObject(state) ? { ...state, user_id: owner } : state))
        : given;
    },
    (request) => {
      const { user_id: userId, state } = request.args;
      if (request.op !== "save_state" || !isObject(state) || typeof state.user_id !== "string") return request;
      return { ...request, args: { ...request.args, state: { ...state, user_id: userId as string } } };
    },
  );
}

/** Keys of older programs for fields of section 2.8. */
const OLDER_KEYS: Readonly<Record<string, string>> = {
  interaction_count: "total_interactions",
  success_count: "successful_interventions",
  failure_count: "failed_interventions",
  last_interaction: "saved_at",
  created_at: "session_start",
};

/** Habits of state managers that answer open questions. */
export const TOLERANT_STATES: readonly Tolerance[] = [
  {
    name: "names the files of states by the ids alone",
    choices: { "U-state-file": "raw" },
    line: "perdura-15",
    mutation: namesFilesByIds,
  },
  {
    name: "renames a file that is not a state",
    choices: { "U-state-corrupt": "removes" },
    line: "perdura-15",
    mutation: withFiles((request, given, file) => {
      if (request.op === "load_state" && given.type === "error" && given.kind === "rejected" && existsSync(file))
        renameSync(file, `${file}.corrupt`);
      return given;
    }),
  },
  {
    name: "saves a state with the user that it names",
    choices: { "U-state-user-mismatch": "accepted" },
    line: "perdura-15",
    mutation: savesNamedUsers(),
  },
  {
    name: "prefers the keys of older programs",
    choices: { "U-state-field-keys": "replaced" },
    line: "perdura-15",
    mutation: answers("load_state", (given) =>
      value(given, (state) =>
        isObject(state)
          ? Object.fromEntries(
              Object.entries(state).map(([key, field]) => [key, state[OLDER_KEYS[key] ?? key] ?? field]),
            )
          : state,
      ),
    ),
  },
  {
    name: "does not know the keys of older programs",
    choices: { "U-state-field-keys": "extra" },
    line: "perdura-15",
    mutation: withFiles((request, given, file) => {
      if (request.op !== "load_state" || given.type !== "ok" || !existsSync(file)) return given;
      const own = stateIn(file);
      const isMapped = (key: string): boolean => STATE_FIELDS.includes(key) && !Object.hasOwn(own, key);
      return value(given, (state) => {
        if (!isObject(state)) return state;
        const kept = Object.entries(state).filter(([key]) => !isMapped(key) || key.endsWith("_count"));
        return Object.fromEntries(kept.map(([key, field]) => [key, isMapped(key) ? 0 : field]));
      });
    }),
  },
];
