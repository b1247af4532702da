import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer } from "../../protocol/messages.ts";
import { isObject } from "../../values/json_value.ts";
import type { JsonObject, JsonValue } from "../../values/json_value.ts";
import type { Call, Mutation } from "./mutations.ts";

/** Does something to the state directory of a manager, after an operation of it was answered. */
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

/** Changes the file of a state after it was saved. */
export const editsState = (change: (state: JsonObject) => JsonValue): Mutation =>
  touches("save_state", (directory, request) => {
    for (const name of readdirSync(directory).filter((file) => file.endsWith(".json"))) {
      const file = join(directory, name);
      const state = JSON.parse(readFileSync(file, "utf8")) as JsonValue;
      if (isObject(state) && state.user_id === request.args.user_id) writeFileSync(file, JSON.stringify(change(state)));
    }
  });

/** Changes a state as it is loaded. */
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

/** Takes one user id for another, in every call; what is loaded names the user that was asked for. */
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

/** An error in place of an answer. */
export const raises = ({ seq }: { seq: number }, native: string): Answer => ({
  seq,
  type: "error",
  kind: native === "FileNotFoundError" ? "not_found" : "rejected",
  native,
  message: "a fault of this mutant",
});
