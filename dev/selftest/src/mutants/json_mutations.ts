import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { isObject, isTaggedNumber, tokenOf } from "../../../../packages/conformance/src/values/json_value.ts";
import type { JsonObject, JsonValue } from "../../../../packages/conformance/src/values/json_value.ts";
import { answers, editsLibrary, ok, refusal, rewrites, value } from "./mutations.ts";
import type { Call, Mutation } from "./mutations.ts";
import { everyText } from "./sqlite_mutations.ts";

/** A pattern library as in a file, or, without `metadata`, as in the answer of `load_from_json`. */
export interface Library {
  patterns: JsonObject[];
  agent_contributions: Record<string, string[]>;
  metadata: JsonObject;
}

/** Changes the library in the saved file. Numbers beyond a double are rounded. */
export const writes = (change: (library: Library) => void): Mutation =>
  editsLibrary((library) => change(library as never));

/** Changes every pattern in the saved file. */
export const writesEach = (change: (pattern: JsonObject) => void): Mutation =>
  writes(({ patterns }) => patterns.forEach(change));

/** Changes the contributions of each agent in the saved file. */
export const writesContributions = (change: (ids: string[]) => JsonValue): Mutation =>
  writes((library) => {
    const changed = Object.entries(library.agent_contributions).map(([agent, ids]) => [agent, change(ids)]);
    library.agent_contributions = Object.fromEntries(changed) as Library["agent_contributions"];
  });

/** Changes a field of every pattern in the saved file, if it has a value. */
export const writesField = (field: string, change: (before: JsonValue) => JsonValue): Mutation =>
  writesEach((pattern) => {
    if (pattern[field] !== null && pattern[field] !== undefined) pattern[field] = change(pattern[field]);
  });

/** Changes the library that a loading operation returns; the kept object stays correct. */
export const gives = (op: "load_from_json" | "load_from_sqlite", change: (library: Library) => void): Mutation =>
  answers(op, (answer) =>
    value(answer, (before) => {
      const library = structuredClone(before) as unknown as Library;
      change(library);
      return library as unknown as JsonValue;
    }),
  );

/** Changes every pattern that a loading operation returns. */
export const givesEach = (op: "load_from_json" | "load_from_sqlite", change: (pattern: JsonObject) => void): Mutation =>
  gives(op, ({ patterns }) => patterns.forEach(change));

/** Reads another text than that of the file. It affects only `load_from_json`; the file stays unchanged. */
export const reads = (change: (text: string) => string): Mutation => {
  const copy = (request: Call): string => `${request.args.filepath as string}.read`;
  return {
    before(request) {
      const text = request.op === "load_from_json" ? readIfThere(request.args.filepath as string) : undefined;
      if (text === undefined) return request;
      writeFileSync(copy(request), change(text));
      return { ...request, args: { ...request.args, filepath: copy(request) } };
    },
    answer(request, answer) {
      if (request.op === "load_from_json") rmSync(copy(request), { force: true });
      return answer;
    },
  };
};

/** Refuses to load a file whose text meets a condition. */
export const refusesToRead = (when: (text: string) => boolean): Mutation =>
  answers("load_from_json", (answer, request) => {
    const text = readIfThere(request.args.filepath as string);
    return text !== undefined && when(text) ? refusal(answer) : answer;
  });

/** Returns an empty library where loading should fail. */
export const forgives = (kind: string): Mutation =>
  answers("load_from_json", (answer) =>
    answer.type === "error" && answer.kind === kind ? ok(answer, { patterns: [], agent_contributions: {} }) : answer,
  );

/** Reports errors of one kind as another. */
export const confuses = (kind: string, other: "not_found" | "invalid_json" | "rejected" | "other"): Mutation =>
  answers("load_from_json", (answer) =>
    answer.type === "error" && answer.kind === kind ? { ...answer, kind: other } : answer,
  );

/** The text of a file; undefined if it does not exist. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/** A copy of the value with every object in it changed, the innermost first. */
export function eachObject(before: JsonValue, change: (object: JsonObject) => JsonValue): JsonValue {
  if (Array.isArray(before)) return before.map((item) => eachObject(item, change));
  if (!isObject(before)) return before;
  return change(Object.fromEntries(Object.entries(before).map(([key, member]) => [key, eachObject(member, change)])));
}

type Loading = Parameters<typeof givesEach>[0];

/** Changes every text in the patterns that a loading operation returns. */
export const givesText = (op: Loading, change: (text: string) => string): Mutation =>
  gives(op, (library) => (library.patterns = everyText(library.patterns, change) as JsonObject[]));

/** Changes every object in the patterns that a loading operation returns. */
export const givesObjects = (op: Loading, change: (object: JsonObject) => JsonValue): Mutation =>
  gives(op, (library) => (library.patterns = eachObject(library.patterns, change) as JsonObject[]));

/** Converts all numbers to doubles. */
export const rounds = (op: Loading): Mutation =>
  givesObjects(op, (object) => (isTaggedNumber(object) ? Number(tokenOf(object)) || 0 : object));

/** Writes to another file than the given one. */
export const renames = (rename: (file: string) => string): Mutation =>
  answers("save_to_json", (answer, request) => {
    const file = request.args.filepath as string;
    if (answer.type === "ok") renameSync(file, rename(file));
    return answer;
  });

/** Writes the `saved_at` of the last loaded file. */
export function keepsSavedAt(): Mutation {
  let savedAt: JsonValue = null;
  const inFile = writes(({ metadata }) => {
    if (savedAt !== null) metadata.saved_at = savedAt;
  });
  return {
    ...inFile,
    begins: () => (savedAt = null),
    before(request) {
      const text = request.op === "load_from_json" ? readIfThere(request.args.filepath as string) : undefined;
      if (text !== undefined) savedAt = (JSON.parse(text) as Library).metadata.saved_at ?? null;
      return request;
    },
  };
}

/** Adds the patterns of earlier files to every file, as with a list that all objects of a class share. */
export function gathers(): Mutation {
  const gathered: JsonObject[] = [];
  return writes((library) => {
    gathered.push(...library.patterns);
    library.patterns = gathered;
  });
}

/** Adds the patterns of earlier files to every loaded library. */
export function accumulates(): Mutation {
  const before: JsonObject[] = [];
  return gives("load_from_json", (library) => {
    before.push(...library.patterns);
    library.patterns = before;
  });
}

/** Returns the content that a file had when it was first loaded. */
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

/**
 * Merges the previous content of a file with the saved library; of two patterns with one id the newer or the older is
 * kept.
 */
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

/** Appends to an existing file. */
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

/** Returns the patterns of the first loading only, as with a stream that was read to its end. */
export function givesOnce(): Mutation {
  let loaded = false;
  return gives("load_from_json", (library) => {
    if (loaded) library.patterns = [];
    loaded = true;
  });
}

/** Returns an empty library at the second attempt to load a missing file. */
export function makesMissing(): Mutation {
  const missed = new Set<string>();
  return answers("load_from_json", (answer, request) => {
    const file = request.args.filepath as string;
    if (missed.has(file)) return ok(answer, { patterns: [], agent_contributions: {} });
    if (!existsSync(file)) missed.add(file);
    return answer;
  });
}

/** Writes no patterns after the first save. */
export function empties(): Mutation {
  let saved = false;
  return writes((library) => {
    if (saved) library.patterns = [];
    saved = true;
  });
}

/** Deletes all rows of an existing pattern database before a save. */
export function emptiesFirst(args: JsonObject): JsonObject {
  if (!existsSync(args.db_path as string)) return args;
  const database = new Database(args.db_path as string, { fileMustExist: true });
  database.exec("DELETE FROM patterns");
  database.close();
  return args;
}

/** A copy of the value, cut off below a number of levels. */
export function shallow(whole: JsonValue, levels: number): JsonValue {
  if (levels === 0) return null;
  if (Array.isArray(whole)) return whole.map((item) => shallow(item, levels - 1));
  if (!isObject(whole)) return whole;
  return Object.fromEntries(Object.entries(whole).map(([key, member]) => [key, shallow(member, levels - 1)]));
}
