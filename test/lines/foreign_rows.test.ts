import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MetricsCollector, PatternLibrary, PatternPersistence } from "@perdura/v16";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { COLLECTORS } from "./collectors.ts";

function execute(path: string, sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
}

function savedLibrary(): string {
  const path = join(freshFolder(), "patterns.db");
  const library = new PatternLibrary();
  library.contribute("a", { id: "p", pattern_type: "t", name: "n", context: {}, tags: [] });
  PatternPersistence.saveToSqlite(library, path);
  return path;
}

test("ignores invalid levels in rows of other programs", () => {
  using collector = new MetricsCollector(join(freshFolder(), "m.db"));
  collector.recordInteraction("u", 4, true, 1);
  const path = join(freshFolder(), "x.db");
  using second = new MetricsCollector(path);
  second.recordInteraction("u", 4, true, 1);
  execute(path, "INSERT INTO interactions (user_id, level, success) VALUES ('u', 9, 1), ('u', 'lots', 1)");
  second.recordMetric("u", true, 1);
  expect(second.getUserStats("u")).toMatchObject({ total_operations: 4, current_level: 4, level_4_count: 2 });
});

test("reads a response time of -2^63", () => {
  const path = join(freshFolder(), "m.db");
  execute(
    path,
    `CREATE TABLE interactions (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, level INTEGER NOT NULL,
       success BOOLEAN NOT NULL, response_time_ms, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
     INSERT INTO interactions (user_id, level, success, response_time_ms) VALUES ('u', 1, 1, -9223372036854775808)`,
  );
  using collector = new MetricsCollector(path);
  expect(collector.getUserStats("u").avg_response_time_ms).toBe(-(2 ** 63));
});

test("exports rows of other programs as valid JSON without loss", () => {
  const path = join(freshFolder(), "m.db");
  using collector = new MetricsCollector(path);
  execute(
    path,
    `INSERT INTO interactions (user_id, level, success, response_time_ms) VALUES
       (x'616263', 1, 1, 9e999), (CAST(x'4aff' AS TEXT), 2, 1, -9e999), (CAST(x'4afe' AS TEXT), 2, 1, 'slow'), ('u', 1, 1, 10)`,
  );
  const file = join(freshFolder(), "out.json");
  expect(collector.exportMetrics(file)).toBe(4);
  const { users, interactions } = JSON.parse(readFileSync(file, "utf8")) as {
    users: object;
    interactions: Record<string, unknown>[];
  };
  expect(Object.keys(users)).toEqual(["u"]);
  expect(interactions.map((row) => [row["user_id"], row["response_time_ms"], row["response_time_text"]])).toEqual([
    ["abc", null, "Infinity"],
    ["J\ufffd", null, "-Infinity"],
    ["J\ufffd", null, "slow"],
    ["u", 10, undefined],
  ]);
  expect(collector.getUserStats("u").avg_response_time_ms).toBe(10);
  execute(path, "UPDATE interactions SET user_id = 'u'");
  expect(collector.getUserStats("u").avg_response_time_ms).toBe(10);
});

test.for([
  ["broken UTF-8 inside a context", `context = CAST(x'7b2261223a22ff227d' AS TEXT)`, /not UTF-8/],
  ["broken UTF-8 inside tags", `tags = CAST(x'5b22ff225d' AS TEXT)`, /not UTF-8/],
  [
    "a context that is a blob",
    `context = x'7b7d'`,
    /row 1: context: expected JSON text, got an object of class Buffer/,
  ],
  ["tags that are a number", `tags = 5`, /tags: expected array or null, got 5/],
] as const)("%s causes a CorruptDataError", ([, assignment, reason]) => {
  const path = savedLibrary();
  execute(path, `UPDATE patterns SET ${assignment}`);
  expect(() => PatternPersistence.loadFromSqlite(path)).toThrow(
    expect.objectContaining({ name: "CorruptDataError", message: expect.stringMatching(reason) }),
  );
});

test("two rows with the same id cause a CorruptDataError", () => {
  const path = savedLibrary();
  execute(
    path,
    "CREATE TABLE copy AS SELECT * FROM patterns; INSERT INTO copy SELECT * FROM patterns; DROP TABLE pattern_usage; DROP TABLE patterns; ALTER TABLE copy RENAME TO patterns",
  );
  const load = (): unknown => PatternPersistence.loadFromSqlite(path);
  expect(load).toThrow(/row 2: id: duplicate id "p": an earlier row has it/);
  // The first fault in the order of the rows is reported.
  execute(path, "INSERT INTO patterns (rowid, id) VALUES (3, 'q')");
  expect(load).toThrow(/row 2: id/);
  execute(path, "UPDATE patterns SET rowid = 4 WHERE rowid = 2");
  expect(load).toThrow(/row 3: agent_id/);
  expect(() => PatternPersistence.saveToSqlite(new PatternLibrary(), path)).toThrow(/no unique key on "id"/);
});

test("refuses to save into a table whose key ignores case", () => {
  const path = join(freshFolder(), "nocase.db");
  execute(
    path,
    `CREATE TABLE patterns (id TEXT PRIMARY KEY COLLATE NOCASE, agent_id, pattern_type, name, description, context, code, confidence,
     usage_count INTEGER, success_count INTEGER, failure_count INTEGER, tags, discovered_at, last_used, updated_at)`,
  );
  expect(() => PatternPersistence.saveToSqlite(new PatternLibrary(), path)).toThrow(/binary collation/);
});

test("reads and saves a table without rowid", () => {
  const path = join(freshFolder(), "without.db");
  execute(
    path,
    `CREATE TABLE patterns (id TEXT PRIMARY KEY, agent_id, pattern_type, name, description, context, code, confidence REAL, usage_count INTEGER,
     success_count INTEGER, failure_count INTEGER, tags, discovered_at, last_used, updated_at) WITHOUT ROWID`,
  );
  const library = new PatternLibrary();
  for (const id of ["b", "a"]) library.contribute("a", { id, pattern_type: "t", name: "n" });
  for (const mode of ["merge", "replace"] as const) PatternPersistence.saveToSqlite(library, path, { mode });
  expect([...PatternPersistence.loadFromSqlite(path).patterns.keys()]).toEqual(["a", "b"]);
});

const LOOSE =
  "CREATE TABLE interactions (id INTEGER PRIMARY KEY, user_id, level INTEGER, success, response_time_ms, timestamp, metadata TEXT DEFAULT 'mine')";

test("exports a table with additional columns", () => {
  const path = join(freshFolder(), "m.db");
  execute(path, `${LOOSE}; ALTER TABLE interactions ADD COLUMN interaction_id`);
  using collector = new MetricsCollector(path);
  collector.recordMetric("u", true, 1, { a: 1 });
  for (const extension of ["json", "jsonl", "csv"]) {
    const file = join(freshFolder(), `out.${extension}`);
    expect(collector.exportMetrics(file)).toBe(1);
    expect(readFileSync(file, "utf8")).not.toContain("mine");
  }
});

test("exports a row without a user, and counts it for no user", () => {
  const path = join(freshFolder(), "m.db");
  execute(path, `${LOOSE}; INSERT INTO interactions VALUES (1, NULL, 1, 1, 5, 7, NULL), (2, 'u', 1, 1, 5, 7, NULL)`);
  using collector = new MetricsCollector(path);
  const file = join(freshFolder(), "out.json");
  expect(collector.exportMetrics(file)).toBe(2);
  const { users, interactions } = JSON.parse(readFileSync(file, "utf8")) as { users: object; interactions: object[] };
  expect(Object.keys(users)).toEqual(["u"]);
  expect(interactions).toMatchObject([{ user_id: null }, { user_id: "u" }]);
  expect(collector.getAllUsers()).toEqual(["u"]);
  expect(collector.getUserStats("u")).toMatchObject({ first_use: "7", last_use: "7" });
});

test.each(["CREATE TABLE interaction_metadata (note)", "CREATE VIEW interaction_metadata AS SELECT 1 AS note"])(
  "refuses %s, names the object, and does not change the database",
  (sql) => {
    const path = join(freshFolder(), "m.db");
    execute(path, sql);
    const before = readFileSync(path);
    expect(() => new MetricsCollector(path)).toThrow(/"interaction_metadata"/);
    expect(readFileSync(path)).toEqual(before);
  },
);

test.each(COLLECTORS)(
  "$name creates the table of metadata again after another program dropped it",
  ({ open, record }) => {
    const path = join(freshFolder(), "m.db");
    const first = open(path, { breakdown: { keys: ["tool"] } });
    record(first, "a", true, 1, { tool: "search" });
    first.close();
    execute(path, "DROP TABLE interaction_metadata");
    using collector = open(path);
    record(collector, "a", true, 1, { tool: "fetch" });
    expect(collector.getBreakdown("tool").map(({ value }) => value)).toEqual([null, "fetch"]);
    expect(collector.getUserStats("a").total_operations).toBe(2);
  },
);
