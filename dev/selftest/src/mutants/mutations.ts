import { closeSync, existsSync, openSync, readFileSync, readSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import type { Adapter, Answer, ErrorKind, Request } from "../../../../packages/conformance/src/protocol/messages.ts";
import type { JsonObject, JsonValue } from "../../../../packages/conformance/src/values/json_value.ts";

/** Injects one fault into an implementation. */
export function mutate(inner: Adapter, mutation: Mutation): Adapter {
  const databases = new Set<string>();
  let directory = "";
  return {
    async handle(request) {
      if (request.type === "begin") {
        databases.clear();
        directory = request.directory;
        mutation.begins?.();
      }
      if (request.type === "call") {
        if (typeof request.args.db_path === "string") databases.add(request.args.db_path);
        const changed = mutation.before?.(request, directory) ?? request;
        const answer = changed.type === "call" ? await inner.handle(changed) : changed;
        return mutation.answer?.(request, answer) ?? answer;
      }
      if (request.type === "settle" || request.type === "end") await mutation.released?.(inner);
      const answer = await inner.handle(request);
      if (request.type === "settle") mutation.settled?.([...databases].filter(isDatabase));
      return answer;
    },
  };
}

/** A case may name a file that is not a database, on which SQL cannot run. An empty file is a database. */
export function isDatabase(path: string): boolean {
  if (!existsSync(path)) return false;
  const file = openSync(path, "r");
  try {
    const beginning = Buffer.alloc(16);
    const length = readSync(file, beginning);
    return length === 0 || beginning.toString("latin1") === "SQLite format 3\0";
  } finally {
    closeSync(file);
  }
}

/** Opens a database of a case to change it. Cases kill adapters, but not the machine, so nothing waits for the disk. */
export function openUnsynced(path: string): Database.Database {
  const database = new Database(path, { fileMustExist: true });
  database.pragma("synchronous = OFF");
  return database;
}

export type Call = Extract<Request, { type: "call" }>;

/**
 * One fault. Every hook is optional; a call passes through `before`, the implementation and `answer`, in this order.
 */
export interface Mutation {
  /** The operation whose calls it changes; any by default. */
  op?: string;
  /** The operations, if there are several. */
  ops?: readonly string[];
  /** The table of the databases that `settled` changes; any database may be changed by default. */
  table?: string;
  /** Called when a case begins: forgets what the mutation remembers of the case before. */
  begins?: () => void;
  /** Changes a call before it reaches the implementation, or answers it instead of the implementation. */
  before?: (request: Call, directory: string) => Call | Answer;
  /** Changes the implementation's answer. `request` is the call as the suite sent it. */
  answer?: (request: Call, answer: Answer) => Answer;
  /** Called before the implementation closes its objects. */
  released?: (inner: Adapter) => Promise<void>;
  /** Changes files before the suite inspects them: every existing database that the case named. */
  settled?: (databases: string[]) => void;
}

/** A faulty implementation: a line of perdura with one fault, and the case that must find it. */
export interface Mutant extends Mutation {
  name: string;
  /** The requirement that it breaks. */
  requirement: string;
  line: "perdura-15" | "perdura-16";
  kills: string;
}

/** Changes the saved JSON file. */
export const rewrites = (change: (text: string) => string): Mutation => ({
  answer(request, answer) {
    if (request.op === "save_to_json" && answer.type === "ok") {
      const file = request.args.filepath as string;
      writeFileSync(file, change(readFileSync(file, "utf8")));
    }
    return answer;
  },
});
export const editsLibrary = (change: (library: { patterns: JsonObject[]; metadata: JsonObject }) => void): Mutation =>
  rewrites((text) => {
    const library = JSON.parse(text) as { patterns: JsonObject[]; metadata: JsonObject };
    change(library);
    return JSON.stringify(library);
  });

/** Runs SQL on every database that the case named, before the suite inspects it. */
export const alters = (sql: string, foreignKeys = true): Mutation => ({
  settled(databases) {
    for (const path of databases) {
      const database = openUnsynced(path);
      database.pragma(`foreign_keys = ${foreignKeys ? "ON" : "OFF"}`);
      database.exec(sql);
      database.close();
    }
  },
});

/** Changes the answers of one operation. */
export const answers = (op: string, change: (answer: Answer, request: Call) => Answer): Mutation => ({
  op,
  answer: (request, answer) => (request.op === op ? change(answer, request) : answer),
});
export const value = (answer: Answer, change: (value: JsonValue) => JsonValue): Answer =>
  "value" in answer ? { ...answer, value: change(answer.value as JsonValue) } : answer;
export const member =
  (key: string, change: (before: number) => JsonValue): ((answer: Answer) => Answer) =>
  (answer) =>
    value(answer, (before) => ({ ...(before as JsonObject), [key]: change((before as JsonObject)[key] as number) }));
export const ok = ({ seq }: { seq: number }, given: JsonValue = null): Answer => ({ seq, type: "ok", value: given });

/** Changes the arguments of the calls of an operation. */
export const receives = (op: string, change: (args: JsonObject, directory: string) => JsonObject): Mutation => ({
  op,
  before: (request, directory) => (request.op === op ? { ...request, args: change(request.args, directory) } : request),
});

/** Ignores the calls of an operation that `when` selects. */
export const ignores = (op: string, when: (args: JsonObject) => boolean = () => true): Mutation => ({
  before: (request) => (request.op === op && when(request.args) ? ok(request) : request),
});

/** An error in place of an answer. */
export const refusal = (
  { seq }: { seq: number },
  native = "ValueError",
  kind: ErrorKind = native === "FileNotFoundError" ? "not_found" : "rejected",
): Answer => ({ seq, type: "error", kind, native, message: "refused by a mutant" });

/** Refuses the calls of an operation that `when` selects. */
export const refuses = (
  op: string,
  when: (args: JsonObject) => boolean = () => true,
  kind: ErrorKind = "rejected",
): Mutation => ({
  before: (request) => (request.op === op && when(request.args) ? refusal(request, "ValueError", kind) : request),
});

/** A mutant whose case has its full id: `patterns-json/fields`. */
export const row = (name: string, requirement: string, line: 15 | 16, kills: string, mutation: Mutation): Mutant => ({
  name,
  requirement,
  line: `perdura-${line}`,
  kills,
  ...mutation,
});

/** Like {@link row}, for the cases of one area. */
export const rowIn =
  (area: string) =>
  (name: string, requirement: string, line: 15 | 16, kills: string, mutation: Mutation): Mutant =>
    row(name, requirement, line, `${area}/${kills}`, mutation);
