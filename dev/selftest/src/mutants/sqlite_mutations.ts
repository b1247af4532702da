import { existsSync, rmSync } from "node:fs";
import Database from "better-sqlite3";
import type { JsonObject, JsonValue } from "../../../../packages/conformance/src/values/json_value.ts";
import { alters, answers, openUnsynced, refuses, value } from "./mutations.ts";
import type { Call, Mutation } from "./mutations.ts";

/** Uses only the main file of a database and ignores its write-ahead log. */
export const overlooksLog = (op: string): Mutation =>
  prepares(op, ({ args }) => rmSync(`${(args.db_path ?? args.path) as string}-wal`, { force: true }));

/** Changes the declaration of a table before the suite inspects it. Its rows and indexes stay. */
export const redeclares = (table: string, from: string | RegExp, to: string): Mutation => ({
  settled(databases) {
    for (const path of databases) {
      const database = openUnsynced(path);
      database.pragma("foreign_keys = OFF");
      // Otherwise the foreign keys of other tables would be changed to the new name of the old table.
      database.pragma("legacy_alter_table = ON");
      const schema = database.prepare("SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND type = ?").pluck();
      const declaration = schema.get(table, "table") as string;
      const indexes = (schema.all(table, "index") as (string | null)[]).filter((sql) => sql !== null);
      database.exec(`ALTER TABLE ${table} RENAME TO former`);
      database.exec(declaration.replace(from, to));
      database.exec(`INSERT OR REPLACE INTO ${table} SELECT * FROM former; DROP TABLE former`);
      for (const sql of indexes) database.exec(sql);
      database.close();
    }
  },
});

/** Changes databases that have the table but not yet the change, before the suite inspects them. */
export const rewritesDatabases = (
  table: string,
  done: string,
  sql: (levelColumn: string, has: (table: string, column: string) => boolean) => string,
): Mutation => ({
  table,
  settled(databases) {
    for (const path of databases) {
      const database = openUnsynced(path);
      try {
        const has = (name: string, column: string): boolean =>
          database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?").get(name, column) !== undefined;
        if (!has(table, "id") || database.prepare(done).get() !== undefined) continue;
        database.pragma("legacy_alter_table = ON");
        database.exec(sql(has("interactions", "level") ? "level" : "empathy_level", has));
      } finally {
        database.close();
      }
    }
  },
});
export const NEVER: string = "SELECT 1 WHERE 0";

/** Applies two changes of files in order. */
export const both = (first: Mutation, second: Mutation): Mutation => ({
  settled(databases) {
    first.settled?.(databases);
    second.settled?.(databases);
  },
});

/** Changes every loaded pattern. */
export const loads = (change: (pattern: JsonObject) => JsonObject): Mutation =>
  loadsLibrary(({ patterns, ...rest }) => ({ ...rest, patterns: (patterns as JsonObject[]).map(change) }));

/** Changes the loaded library. */
export const loadsLibrary = (change: (library: JsonObject) => JsonObject): Mutation =>
  answers("load_from_sqlite", (answer) =>
    answer.type === "ok" ? value(answer, (library) => change(library as JsonObject)) : answer,
  );

/** Runs SQL on the database after every successful save, or only after failed ones. */
export const savesThen = (sql: string, when: "ok" | "error" = "ok"): Mutation =>
  answers("save_to_sqlite", (answer, request) => {
    const path = request.args.db_path as string;
    if (answer.type === when && existsSync(path)) alters(sql).settled?.([path]);
    return answer;
  });

/** Refuses to load a database in which a query finds a row. */
export const cannotRead = (query: string): Mutation =>
  refuses("load_from_sqlite", (args) => rowsOf(args.db_path as string, query).length > 0);

/** Runs a function before a call reaches the implementation. */
export const prepares = (op: string, prepare: (request: Call) => void): Mutation => ({
  before(request) {
    if (request.op === op) prepare(request);
    return request;
  },
});

/** Rows of a query; none if the file does not exist. */
export function rowsOf(path: string, query: string): JsonObject[] {
  if (!existsSync(path)) return [];
  const database = new Database(path, { fileMustExist: true });
  try {
    return database.prepare(query).all() as JsonObject[];
  } finally {
    database.close();
  }
}

/** A text field of a pattern; empty if it is missing. */
export const textOf = (pattern: JsonObject, field: string): string => String(pattern[field] ?? "");

/** True for a library with at least one pattern that meets the condition. */
export const some =
  (is: (pattern: JsonObject) => boolean) =>
  (args: JsonObject): boolean =>
    (args.patterns as JsonObject[]).some(is);

/** Changes every text inside a value. */
export function everyText(given: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof given === "string") return change(given);
  if (Array.isArray(given)) return given.map((item) => everyText(item, change));
  if (typeof given !== "object" || given === null) return given;
  return Object.fromEntries(Object.entries(given).map(([key, member]) => [key, everyText(member, change)]));
}
