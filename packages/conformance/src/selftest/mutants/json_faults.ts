import { readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Answer } from "../../protocol/messages.ts";
import { isObject } from "../../values/json_value.ts";
import type { JsonObject, JsonValue } from "../../values/json_value.ts";
import { answers, editsLibrary, ok, value } from "./mutations.ts";
import type { Call, Mutation } from "./mutations.ts";

/** A pattern library, as a file holds it and, without `metadata`, as `load_from_json` answers it. */
export interface Library {
  patterns: JsonObject[];
  agent_contributions: Record<string, string[]>;
  metadata: JsonObject;
}

/** Changes the library in the file that was saved. Numbers beyond a double are rounded on the way. */
export const writes = (change: (library: Library) => void): Mutation =>
  editsLibrary((library) => change(library as never));

/** Changes every pattern in the file that was saved. */
export const writesEach = (change: (pattern: JsonObject) => void): Mutation =>
  writes(({ patterns }) => patterns.forEach(change));

/** Changes what each agent contributed, in the file that was saved. */
export const writesContributions = (change: (ids: string[]) => JsonValue): Mutation =>
  writes((library) => {
    const changed = Object.entries(library.agent_contributions).map(([agent, ids]) => [agent, change(ids)]);
    library.agent_contributions = Object.fromEntries(changed) as Library["agent_contributions"];
  });

/** Changes a field of every pattern in the file that was saved, where it has a value. */
export const writesField = (field: string, change: (before: JsonValue) => JsonValue): Mutation =>
  writesEach((pattern) => {
    if (pattern[field] !== null && pattern[field] !== undefined) pattern[field] = change(pattern[field]);
  });

/** Changes the library that a loading operation gives; the object that is kept stays right. */
export const gives = (op: "load_from_json" | "load_from_sqlite", change: (library: Library) => void): Mutation =>
  answers(op, (answer) =>
    value(answer, (before) => {
      const library = structuredClone(before) as unknown as Library;
      change(library);
      return library as unknown as JsonValue;
    }),
  );

/** Changes every pattern that a loading operation gives. */
export const givesEach = (op: "load_from_json" | "load_from_sqlite", change: (pattern: JsonObject) => void): Mutation =>
  gives(op, ({ patterns }) => patterns.forEach(change));

/** Reads another text than the file has. Only `load_from_json` is concerned; the file stays as it is. */
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

/** Refuses to load a file whose text is of a certain kind. */
export const refusesToRead = (when: (text: string) => boolean): Mutation =>
  answers("load_from_json", (answer, request) => {
    const text = readIfThere(request.args.filepath as string);
    return text !== undefined && when(text) ? refusal(answer) : answer;
  });

/** Gives an empty library where loading ought to fail. */
export const forgives = (kind: string): Mutation =>
  answers("load_from_json", (answer) =>
    answer.type === "error" && answer.kind === kind ? ok(answer, { patterns: [], agent_contributions: {} }) : answer,
  );

/** Reports errors of one kind as another. */
export const confuses = (kind: string, other: "not_found" | "invalid_json" | "rejected" | "other"): Mutation =>
  answers("load_from_json", (answer) =>
    answer.type === "error" && answer.kind === kind ? { ...answer, kind: other } : answer,
  );

/** An error that refuses what was asked. */
export const refusal = ({ seq }: { seq: number }): Answer => ({
  seq,
  type: "error",
  kind: "rejected",
  native: "ValueError",
  message: "refused",
});

/** The text of a file; undefined where there is none. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/** The same value with every object in it changed, the innermost first. */
export function eachObject(before: JsonValue, change: (object: JsonObject) => JsonValue): JsonValue {
  if (Array.isArray(before)) return before.map((item) => eachObject(item, change));
  if (!isObject(before)) return before;
  return change(Object.fromEntries(Object.entries(before).map(([key, member]) => [key, eachObject(member, change)])));
}
