import { readFileSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import type { JsonObject, JsonValue } from "../values/json_value.ts";
import { isObject } from "../values/json_value.ts";
import { answers, value } from "./mutants/mutations.ts";
import type { Mutation } from "./mutants/mutations.ts";

/** Writes the JSON file once more with the same content. */
export function respells(respell: (document: JsonValue) => string): Mutation {
  return {
    op: "save_to_json",
    answer(request, answer) {
      if (request.op !== "save_to_json" || answer.type !== "ok") return answer;
      const file = request.args.filepath as string;
      const text = readFileSync(file, "utf8");
      // A number that a double would change must stay as it is written: such a file is left alone.
      if (!/\d{16}|[eE]\+?\d{3}/.test(text)) writeFileSync(file, respell(JSON.parse(text) as JsonValue));
      return answer;
    },
  };
}

export function sorted(document: JsonValue): JsonValue {
  if (Array.isArray(document)) return document.map(sorted);
  if (!isObject(document)) return document;
  const members = Object.entries(document).toSorted(([a], [b]) => (a < b ? 1 : -1));
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]));
}

export const escaped = (text: string): string =>
  text.replace(/[^\u0000-\u007e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Leaves members out of the statistics of a user. */
export const withoutStatistics = (drop: (key: string, member: JsonValue) => boolean): Mutation =>
  answers("get_user_stats", (answer) =>
    value(answer, (statistics) =>
      Object.fromEntries(Object.entries(statistics as JsonObject).filter(([key, member]) => !drop(key, member))),
    ),
  );

/** Changes the databases that have the table and not yet the change, when the suite is about to look. */
export const rewritesDatabases = (table: string, done: string, sql: (levelColumn: string) => string): Mutation => ({
  table,
  settled(databases) {
    for (const path of databases) {
      const database = new Database(path, { fileMustExist: true });
      try {
        const has = (name: string, column: string): boolean =>
          database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?").get(name, column) !== undefined;
        if (!has(table, "id") || database.prepare(done).get() !== undefined) continue;
        database.pragma("legacy_alter_table = ON");
        database.exec(sql(has("interactions", "level") ? "level" : "empathy_level"));
      } finally {
        database.close();
      }
    }
  },
});
export const NEVER: string = "SELECT 1 WHERE 0";
export const EXISTS = (name: string): string => `SELECT 1 FROM sqlite_schema WHERE name = '${name}'`;

/** The table interactions in another spelling: other quotes, type names, order of columns, and an index with a collation. */
export const respelt = (level: string): string => `
  PRAGMA foreign_keys = OFF;
  CREATE TABLE respelt ("user_id" VARCHAR(255) NOT NULL, [${level}] INT NOT NULL, success TINYINT NOT NULL,
    "timestamp" DATETIME DEFAULT CURRENT_TIMESTAMP, response_time_ms DOUBLE PRECISION DEFAULT NULL,
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT);
  INSERT INTO respelt SELECT user_id, ${level}, success, timestamp, response_time_ms, id FROM interactions;
  DROP TABLE interactions;
  ALTER TABLE respelt RENAME TO interactions;
  CREATE INDEX idx_interactions_user ON interactions (user_id);
  CREATE INDEX idx_interactions_timestamp ON interactions ("timestamp" DESC);
  CREATE TABLE own_notes (a)`;

export const FURTHER: string = "CREATE TABLE further (version INTEGER); CREATE INDEX own ON further (version)";

export const writesAhead: Mutation = {
  settled(databases) {
    for (const path of databases) {
      const database = new Database(path, { fileMustExist: true });
      database.pragma("journal_mode = WAL");
      database.close();
    }
  },
};

export const both = (first: Mutation, second: Mutation): Mutation => ({
  settled(databases) {
    first.settled?.(databases);
    second.settled?.(databases);
  },
});
