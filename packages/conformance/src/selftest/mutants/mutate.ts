import { existsSync, readFileSync } from "node:fs";
import type { Adapter } from "../../protocol/messages.ts";
import type { Mutation } from "./mutations.ts";

/** Puts one fault into an implementation. */
export function mutate(inner: Adapter, mutation: Mutation): Adapter {
  const databases = new Set<string>();
  let directory = "";
  return {
    async handle(request) {
      if (request.type === "begin") {
        databases.clear();
        directory = request.directory;
      }
      if (request.type === "call") {
        if (typeof request.args.db_path === "string") databases.add(request.args.db_path);
        const changed = mutation.before?.(request, directory) ?? request;
        const answer = changed.type === "call" ? await inner.handle(changed) : changed;
        return mutation.answer?.(request, answer) ?? answer;
      }
      const answer = await inner.handle(request);
      if (request.type === "settle") mutation.settled?.([...databases].filter(isDatabase));
      return answer;
    },
  };
}

/** A case may name a file that is no database; SQL is nothing for it. An empty file is a database. */
function isDatabase(path: string): boolean {
  if (!existsSync(path)) return false;
  const beginning = readFileSync(path).subarray(0, 16).toString("latin1");
  return beginning === "" || beginning === "SQLite format 3\0";
}
