import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isOpenInProcess } from "@perdura/internals/files/open_files.js";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";

const FIELD_LAYOUT = `CREATE TABLE metrics (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, empathy_level INTEGER NOT NULL,
  success BOOLEAN NOT NULL, response_time_ms REAL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, metadata TEXT);
  INSERT INTO metrics (user_id, empathy_level, success) VALUES ('u', 3, 1)`;

/** Opening these files as if they were empty would make a user's rows seem lost. */
describe("databases of another line and of field programs are refused with their layout, and not changed", () => {
  function refused(open: (path: string) => unknown, sql: string, reason: RegExp): void {
    const path = join(freshFolder(), "metrics.db");
    const database = new Database(path);
    database.exec(sql);
    database.close();
    const before = readFileSync(path);
    expect(() => open(path)).toThrow(
      expect.objectContaining({ name: "UnsupportedFormatError", path, message: expect.stringMatching(reason) }),
    );
    const after = new Database(path, { readonly: true });
    expect(after.pragma("quick_check", { simple: true })).toBe("ok");
    expect(after.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'interaction_metadata'").pluck().get()).toBe(
      0,
    );
    after.close();
    expect(readFileSync(path).length).toBe(before.length);
  }

  const documented = (column: string): string =>
    `CREATE TABLE interactions (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, ${column} INTEGER NOT NULL, success BOOLEAN NOT NULL,
     response_time_ms REAL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP)`;

  test("16 refuses a database of 15", () =>
    refused(
      (path) => new v16.MetricsCollector(path),
      documented("empathy_level"),
      /pre-16 line.*perdura-migrate plan/,
    ));
  test("15 refuses a database of 16", () =>
    refused((path) => new v15.MetricsCollector(path), documented("level"), /"level" of 16/));
  test("16 refuses the field layout", () =>
    refused((path) => new v16.MetricsCollector(path), FIELD_LAYOUT, /table "metrics".*perdura-migrate plan/));
  test("15 refuses the field layout", () =>
    refused((path) => new v15.MetricsCollector(path), FIELD_LAYOUT, /table "metrics"/));
});

test("a metrics database and a pattern database can share a file", () => {
  const path = join(freshFolder(), "all.db");
  const library = new v16.PatternLibrary();
  library.contribute("a", { id: "p", pattern_type: "t", name: "n" });
  v16.PatternPersistence.saveToSqlite(library, path);
  using collector = new v16.MetricsCollector(path);
  collector.recordMetric("u", true, 1);
  library.recordUsage("p", "a", true);
  v16.PatternPersistence.saveToSqlite(library, path);
  expect(v16.PatternPersistence.loadFromSqlite(path).get("p")?.usage_count).toBe(1);
  expect(collector.getGlobalStats().total_interactions).toBe(1);
});

test.each([
  ["CREATE VIEW interactions AS SELECT 1 AS id", "a view; expected a table"],
  [
    "CREATE VIRTUAL TABLE interactions USING fts5(user_id, level, success)",
    "a virtual table; expected an ordinary one",
  ],
])("refuses an object named interactions that is not an ordinary table: %s", (sql, what) => {
  const path = join(freshFolder(), "odd.db");
  const database = new Database(path);
  database.exec(sql);
  database.close();
  const before = readFileSync(path);
  expect(() => new v16.MetricsCollector(path)).toThrow(
    expect.objectContaining({
      code: "PERDURA_CORRUPT_DATA",
      path,
      message: `${path}: "interactions" is ${what}. No stored data was changed.`,
    }),
  );
  expect(readFileSync(path).equals(before)).toBe(true);
});

test.each(["x", "user_id", "success", "USER_ID, level"])(
  "a table metrics (%s) is not mistaken for the field layout",
  (columns) => {
    const path = join(freshFolder(), "shared.db");
    const database = new Database(path);
    database.exec(`CREATE TABLE metrics (${columns})`);
    database.close();
    using collector = new v16.MetricsCollector(path);
    expect(collector.recordInteraction("u", 1, true, 1)).toBe(1);
  },
);

test("refuses a database into which metadata cannot be recorded, and does not change a byte of it", () => {
  const path = join(freshFolder(), "metrics.db");
  new v16.MetricsCollector(path).close();
  const database = new Database(path);
  database.pragma("journal_mode = DELETE");
  database.exec("CREATE TRIGGER t AFTER INSERT ON interaction_metadata BEGIN INSERT INTO missing VALUES (1); END");
  database.close();
  const before = readFileSync(path);
  expect(() => new v16.MetricsCollector(path)).toThrow(/opening failed: no such table: main\.missing\. No stored data/);
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(isOpenInProcess(path)).toBe(false);
});
