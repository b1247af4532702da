import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer } from "../../../../packages/conformance/src/protocol/messages.ts";
import { isObject } from "../../../../packages/conformance/src/values/json_value.ts";
import type { JsonObject, JsonValue } from "../../../../packages/conformance/src/values/json_value.ts";
import { ok } from "./mutations.ts";
import type { Call, Mutation } from "./mutations.ts";

/** Changes the state directory of a manager after one of its operations was answered. */
export const touches = (op: string, act: (directory: string, request: Call, answer: Answer) => void): Mutation => {
  const directories = new Map<string, string>();
  return {
    answer(request, answer) {
      if (request.op === "StateManager") directories.set(request.keep ?? "", String(request.args.state_dir));
      const directory = directories.get(request.handle ?? "");
      if (request.op === op && directory !== undefined) act(directory, request, answer);
      return answer;
    },
  };
};

/** Changes the saved file of a state. */
export const editsState = (change: (state: JsonObject) => JsonValue): Mutation =>
  touches("save_state", (directory, request) => {
    for (const name of readdirSync(directory).filter((file) => file.endsWith(".json"))) {
      const file = join(directory, name);
      const state = JSON.parse(readFileSync(file, "utf8")) as JsonValue;
      if (isObject(state) && state.user_id === request.args.user_id) writeFileSync(file, JSON.stringify(change(state)));
    }
  });

/** Changes a loaded state. */
export const loads = (change: (state: JsonObject) => JsonValue): Mutation => ({
  answer: (request, answer) =>
    request.op === "load_state" && "value" in answer && isObject(answer.value)
      ? { ...answer, value: change(answer.value) }
      : answer,
});

/** Changes a state before it is saved. */
export const saves = (change: (state: JsonObject, userId: JsonValue) => JsonValue): Mutation => ({
  before(request) {
    if (request.op !== "save_state" || !isObject(request.args.state)) return request;
    const { user_id: userId = null, state } = request.args;
    return { ...request, args: { ...request.args, state: change(state, userId) } };
  },
});

/** Replaces one user id by another in every call; a loaded state has the requested id. */
export const takesUsersFor = (change: (userId: string) => string): Mutation => ({
  before(request) {
    const { user_id: userId, state } = request.args;
    if (typeof userId !== "string") return request;
    const other = change(userId);
    const renamed = isObject(state) && state.user_id === userId ? { state: { ...state, user_id: other } } : {};
    return { ...request, args: { ...request.args, user_id: other, ...renamed } };
  },
  answer: (request, answer) =>
    request.op === "load_state" && "value" in answer && isObject(answer.value)
      ? { ...answer, value: { ...answer.value, user_id: request.args.user_id as string } }
      : answer,
});

/** Changes the list of users. */
export const lists = (change: (users: string[]) => JsonValue): Mutation => ({
  answer: (request, answer) =>
    request.op === "list_users" && "value" in answer ? { ...answer, value: change(answer.value as string[]) } : answer,
});

/** Deletes all states before the suite inspects the files. */
export function forgetful(): Mutation {
  const directories = new Set<string>();
  return {
    before(request) {
      if (request.op === "StateManager") directories.add(request.args.state_dir as string);
      return request;
    },
    settled() {
      for (const directory of directories) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Does not save again for a user who was already saved, or who was deleted. */
export function refusesOnce(op: "save_state" | "delete_state"): Mutation {
  const seen = new Set<string>();
  return {
    before(request, directory) {
      const user = `${directory}/${request.args.user_id as string}`;
      const known = seen.has(user);
      if (request.op === op) seen.add(user);
      return request.op === "save_state" && known ? ok(request) : request;
    },
  };
}

/** Lists every user that ever had a state. */
export function neverForgets(): Mutation {
  const ever = new Set<string>();
  return {
    begins: () => ever.clear(),
    answer(request, answer) {
      if (request.op === "save_state") ever.add(request.args.user_id as string);
      return request.op === "list_users" ? ok(answer, [...ever]) : answer;
    },
  };
}

const userOf = ({ args }: Call): string => args.user_id as string;

/** Saves a previously loaded state only to the memory of the manager, not to its directory. */
export function savesToMemory(): Mutation {
  const loaded = new Map<string, JsonValue>();
  return {
    before(request) {
      if (request.op === "StateManager") loaded.clear();
      const user = userOf(request);
      if (!loaded.has(user)) return request;
      if (request.op === "load_state") return ok(request, loaded.get(user));
      if (request.op !== "save_state") return request;
      loaded.set(user, request.args.state as JsonValue);
      return ok(request);
    },
    answer(request, answer) {
      if (request.op === "load_state" && "value" in answer && answer.value !== null)
        loaded.set(userOf(request), answer.value as JsonValue);
      return answer;
    },
  };
}

/** Deletes states that an earlier manager saved from memory, and leaves their files. */
export function deletesFromMemory(): Mutation {
  const own = new Set<string>();
  const gone = new Set<string>();
  return {
    before(request) {
      const user = userOf(request);
      if (request.op === "StateManager") {
        own.clear();
        gone.clear();
      }
      if (request.op === "save_state") own.add(user);
      if (request.op === "load_state" && gone.has(user)) return ok(request);
      if (request.op !== "delete_state" || own.has(user)) return request;
      const known = !gone.has(user);
      gone.add(user);
      return ok(request, known);
    },
    ...lists((users) => users.filter((user) => !gone.has(user))),
  };
}

/** Lists the users in memory; only a manager that has none reads its directory. */
export function listsMemory(): Mutation {
  const known = new Set<string>();
  return {
    before(request) {
      if (request.op === "StateManager") known.clear();
      if (request.op === "save_state") known.add(userOf(request));
      if (request.op === "delete_state") known.delete(userOf(request));
      return request;
    },
    ...lists((users) => (known.size > 0 ? [...known] : users)),
  };
}

/** Loads the last file whose name begins with the id of the user, in a reopened directory. */
export function findsByBeginning(): Mutation {
  const saved = new Set<string>();
  const own = new Set<string>();
  return {
    before(request) {
      if (request.op === "StateManager") own.clear();
      if (request.op === "save_state") {
        saved.add(userOf(request));
        own.add(userOf(request));
      }
      if (request.op !== "load_state" || own.has(userOf(request))) return request;
      const found = [...saved].toSorted().findLast((user) => user.startsWith(userOf(request)));
      return { ...request, args: { ...request.args, user_id: found ?? userOf(request) } };
    },
  };
}
