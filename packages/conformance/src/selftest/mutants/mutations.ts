import { readFileSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import type { Answer, Request } from "../../src/protocol/messages.ts";
import type { JsonObject, JsonValue } from "../../src/values/json_value.ts";

type Call = Extract<Request, { type: "call" }>;
export type Mutation = { answer?: (request: Call, answer: Answer) => Answer; settled?: (databases: string[]) => void };

/** One wrong implementation: a line of perdura with one fault, and the case that must find it. */
export interface Mutant extends Mutation {
  name: string;
  line: "perdura-15" | "perdura-16";
  kills: string;
}

/** Changes the JSON file after it was saved. */
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

/** Runs SQL on every database that the case named, when the suite is about to look. */
export const alters = (sql: string, foreignKeys = true): Mutation => ({
  settled(databases) {
    for (const path of databases) {
      const database = new Database(path, { fileMustExist: true });
      database.pragma(`foreign_keys = ${foreignKeys ? "ON" : "OFF"}`);
      database.exec(sql);
      database.close();
    }
  },
});

/** Answers something else to one operation. */
export const answers = (op: string, change: (answer: Answer, request: Call) => Answer): Mutation => ({
  answer: (request, answer) => (request.op === op ? change(answer, request) : answer),
});
export const value = (answer: Answer, change: (value: JsonValue) => JsonValue): Answer =>
  "value" in answer ? { ...answer, value: change(answer.value as JsonValue) } : answer;
export const member = (key: string, change: (before: number) => JsonValue) => (answer: Answer) =>
  value(answer, (before) => ({ ...(before as JsonObject), [key]: change((before as JsonObject)[key] as number) }));
export const ok = ({ seq }: Answer, given: JsonValue = null): Answer => ({ seq, type: "ok", value: given });

export const row = (name: string, line: 15 | 16, kills: string, mutation: Mutation): Mutant => ({
  name,
  line: `perdura-${line}`,
  kills,
  ...mutation,
});
