import { existsSync, renameSync } from "node:fs";
import Database from "better-sqlite3";
import { isObject } from "../../values/json_value.ts";
import type { JsonObject, JsonValue } from "../../values/json_value.ts";
import { gives, readIfThere, refusal, writes } from "./json_faults.ts";
import type { Library } from "./json_faults.ts";
import { answers, ok, rewrites, value } from "./mutations.ts";
import type { Mutation } from "./mutations.ts";

/** Writes to another file than the one that was named. */
export const renames = (rename: (file: string) => string): Mutation =>
  answers("save_to_json", (answer, request) => {
    const file = request.args.filepath as string;
    if (answer.type === "ok") renameSync(file, rename(file));
    return answer;
  });

/** Writes the time of saving that the last loaded file had. */
export function keepsSavedAt(): Mutation {
  let savedAt: JsonValue = null;
  const inFile = writes(({ metadata }) => {
    if (savedAt !== null) metadata.saved_at = savedAt;
  });
  return {
    ...inFile,
    before(request) {
      const text = request.op === "load_from_json" ? readIfThere(request.args.filepath as string) : undefined;
      if (text !== undefined) savedAt = (JSON.parse(text) as Library).metadata.saved_at ?? null;
      return request;
    },
  };
}

/** Every file has the patterns of those before it as well, as with a list that all objects of a class share. */
export function gathers(): Mutation {
  const gathered: JsonObject[] = [];
  return writes((library) => {
    gathered.push(...library.patterns);
    library.patterns = gathered;
  });
}

/** Loading gives the patterns of earlier files as well. */
export function accumulates(): Mutation {
  const before: JsonObject[] = [];
  return gives("load_from_json", (library) => {
    before.push(...library.patterns);
    library.patterns = before;
  });
}

/** Gives what a file had when it was loaded for the first time. */
export function remembers(): Mutation {
  const known = new Map<string, JsonValue>();
  return answers("load_from_json", (answer, request) =>
    value(answer, (library) => {
      const file = request.args.filepath as string;
      if (!known.has(file)) known.set(file, library);
      return known.get(file) as JsonValue;
    }),
  );
}

/** Merges what a file held before with what is saved; of two patterns with one id the newer or the older stays. */
export function keepsOlder(stays: "newer" | "older"): Mutation {
  let older: JsonObject[] = [];
  return {
    before(request) {
      const text = request.op === "save_to_json" ? readIfThere(request.args.filepath as string) : undefined;
      older = text === undefined ? [] : (JSON.parse(text) as Library).patterns;
      return request;
    },
    ...writes((library) => {
      const known = new Map(older.map((pattern) => [pattern.id, pattern]));
      for (const pattern of library.patterns)
        if (stays === "newer" || !known.has(pattern.id)) known.set(pattern.id, pattern);
      library.patterns = [...known.values()];
    }),
  };
}

/** Writes behind the end of a file that is there. */
export function appends(): Mutation {
  let older = "";
  return {
    before(request) {
      if (request.op === "save_to_json") older = readIfThere(request.args.filepath as string) ?? "";
      return request;
    },
    ...rewrites((text) => older + text),
  };
}

/** Refuses to save the same object a second time. */
export function savesOnce(): Mutation {
  const saved = new Set<string | undefined>();
  return answers("save_to_json", (answer, request) => {
    if (saved.has(request.handle)) return refusal(answer);
    saved.add(request.handle);
    return answer;
  });
}

/** Gives the patterns of a file at its first loading only, as with a stream that was read to its end. */
export function givesOnce(): Mutation {
  let loaded = false;
  return gives("load_from_json", (library) => {
    if (loaded) library.patterns = [];
    loaded = true;
  });
}

/** A second look at a missing file gives an empty library. */
export function makesMissing(): Mutation {
  const missed = new Set<string>();
  return answers("load_from_json", (answer, request) => {
    const file = request.args.filepath as string;
    if (missed.has(file)) return ok(answer, { patterns: [], agent_contributions: {} });
    if (!existsSync(file)) missed.add(file);
    return answer;
  });
}

/** What was saved once is gone from the library. */
export function empties(): Mutation {
  let saved = false;
  return writes((library) => {
    if (saved) library.patterns = [];
    saved = true;
  });
}

/** Deletes all rows of a pattern database that is there, before it is saved to. */
export function emptiesFirst(args: JsonObject): JsonObject {
  if (!existsSync(args.db_path as string)) return args;
  const database = new Database(args.db_path as string, { fileMustExist: true });
  database.exec("DELETE FROM patterns");
  database.close();
  return args;
}

/** A value without what lies deeper than so many levels. */
export function shallow(whole: JsonValue, levels: number): JsonValue {
  if (levels === 0) return null;
  if (Array.isArray(whole)) return whole.map((item) => shallow(item, levels - 1));
  if (!isObject(whole)) return whole;
  return Object.fromEntries(Object.entries(whole).map(([key, member]) => [key, shallow(member, levels - 1)]));
}
