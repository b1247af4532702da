import type { JsonValue } from "../../values/json_value.ts";
import { ok } from "./mutations.ts";
import type { Call, Mutation } from "./mutations.ts";
import { lists } from "./state_file_mutations.ts";

const userOf = ({ args }: Call): string => args.user_id as string;

/** Saves a state that was loaded before to the memory of the manager, and not to its directory. */
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

/** Lists the users that are in memory; only a manager without any looks into its directory. */
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

/** Takes the last file whose name begins with the id of the user, in a directory that was opened again. */
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
