import { existsSync, readFileSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { isObject } from "../../../../packages/conformance/src/values/json_value.ts";
import type { JsonObject, JsonValue } from "../../../../packages/conformance/src/values/json_value.ts";
import { alters, answers, ok, value } from "./mutations.ts";
import type { Call, Mutation } from "./mutations.ts";

/** Changes the arguments of both recording operations. */
export const records = (change: (args: JsonObject) => JsonObject): Mutation => ({
  before: (request) => (isRecord(request) ? { ...request, args: change(request.args) } : request),
});
/** True for a call of one of the recording operations. */
export const isRecord = ({ op }: Call): boolean => op === "record_metric" || op === "record_interaction";

/** Ignores the recording calls that `when` selects. */
export const forgets = (when: (args: JsonObject, request: Call) => boolean): Mutation => ({
  before: (request) => (isRecord(request) && when(request.args, request) ? ok(request) : request),
});

/** Queries and records with a changed user id. */
export const confuses = (change: (user: string) => string): Mutation => ({
  before: (request) =>
    typeof request.args.user_id === "string"
      ? { ...request, args: { ...request.args, user_id: change(request.args.user_id) } }
      : request,
});

/** Changes an existing database before a collector opens it. */
export const opens = (work: (path: string) => void): Mutation => ({
  before(request) {
    const path = request.args.db_path;
    if (request.op === "MetricsCollector" && typeof path === "string" && existsSync(path)) work(path);
    return request;
  },
});
export const runs =
  (sql: string): ((path: string) => void) =>
  (path) => {
    const database = new Database(path);
    database.exec(sql);
    database.close();
  };

/** Recreates the table interactions with another definition of one column. */
export function remakes(line: 15 | 16, from: string, to: string): Mutation {
  const level = line === 15 ? "empathy_level" : "level";
  const columns = `id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, ${level} INTEGER NOT NULL,
    success BOOLEAN NOT NULL, response_time_ms REAL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP`;
  return alters(
    `PRAGMA legacy_alter_table = ON; DROP TABLE interaction_metadata; CREATE TABLE remade (${columns.replace(from, to)});
    INSERT INTO remade SELECT id, user_id, ${level}, success, response_time_ms, timestamp FROM interactions;
    DROP TABLE interactions; ALTER TABLE remade RENAME TO interactions`,
    false,
  );
}

/** Changes the statistics of a user, or of all users. */
export const counts = (
  op: "get_user_stats" | "get_global_stats",
  change: (statistics: Record<string, number>, args: JsonObject) => JsonObject,
): Mutation =>
  answers(op, (answer, request) =>
    value(answer, (statistics) =>
      isObject(statistics) ? change(statistics as Record<string, number>, request.args) : statistics,
    ),
  );

/** Follows which database each collector has open. */
export function collectors(): { sees: (request: Call) => void; pathOf: (request: Call) => string } {
  const paths = new Map<string, string>();
  return {
    sees(request) {
      if (request.op === "MetricsCollector") paths.set(request.keep ?? "", String(request.args.db_path));
    },
    pathOf: ({ handle }) => paths.get(handle ?? "") ?? "",
  };
}

/** Answers with what a query finds in the database; `?` is the id of the user, if the operation has one. */
export function asks(op: "get_user_stats" | "get_global_stats", sql: string): Mutation {
  const { sees, pathOf } = collectors();
  return {
    before(request) {
      sees(request);
      return request;
    },
    answer(request, answer) {
      if (request.op !== op || answer.type !== "ok") return answer;
      const found = firstRow(pathOf(request), sql, op === "get_user_stats" ? [request.args.user_id] : []);
      return value(answer, (statistics) => ({ ...(statistics as JsonObject), ...found }));
    },
  };
}

function firstRow(path: string, sql: string, parameters: unknown[]): JsonObject {
  const database = new Database(path, { readonly: true });
  try {
    return database.prepare(sql).get(...parameters) as JsonObject;
  } finally {
    database.close();
  }
}

/** Changes the exported file of one format. */
export const exports = (extension: string, change: (text: string) => string): Mutation => ({
  answer(request, answer) {
    const file = String(request.args.filepath);
    if (request.op === "export_metrics" && answer.type === "ok" && file.endsWith(extension))
      writeFileSync(file, change(readFileSync(file, "utf8")));
    return answer;
  },
});

/** Changes each interaction of an export in JSON or JSON Lines. */
export const exportsRows = (change: (row: JsonObject) => JsonValue): Mutation => ({
  answer(request, answer) {
    const json = exports(".json", (text) => {
      const document = JSON.parse(text) as { interactions: JsonObject[] };
      return JSON.stringify({ ...document, interactions: document.interactions.map(change) });
    });
    const lines = exports(".jsonl", (text) =>
      text.replaceAll(/^.+$/gm, (line) => JSON.stringify(change(JSON.parse(line) as JsonObject))),
    );
    lines.answer?.(request, answer);
    return json.answer?.(request, answer) ?? answer;
  },
});
