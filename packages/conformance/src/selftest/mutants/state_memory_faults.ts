import { rmSync } from "node:fs";
import { ok } from "./mutations.ts";
import type { Mutation } from "./mutations.ts";

/** Keeps states until the suite looks at the files. */
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

/** Does not save for users who were there already, or who were deleted. */
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

/** Lists every user who ever had a state. */
export function neverForgets(): Mutation {
  const ever = new Set<string>();
  return {
    answer(request, answer) {
      if (request.op === "save_state") ever.add(request.args.user_id as string);
      return request.op === "list_users" ? ok(answer, [...ever]) : answer;
    },
  };
}
