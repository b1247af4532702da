import Sqlite from "better-sqlite3";
import { expect, it, test } from "vitest";
import { openMetrics } from "../../src/metrics/open_metrics.ts";
import { type RollupStatistics, rollupStatistics } from "../../src/metrics/rollup/rollup_statistics.ts";
import { askedTrend } from "../../src/metrics/trends/trend_arguments.ts";
import type { Statement } from "../../src/sqlite/open_database.ts";
import { addRows, asked, fake, newPath, rollupObjects, SMALL } from "./databases.ts";
import { differences } from "./compare.ts";

const ALL = [
  "perdura_days",
  "perdura_key_values",
  "perdura_rollup",
  "perdura_rollup_delete",
  "perdura_rollup_insert",
  "perdura_rollup_metadata_delete",
  "perdura_rollup_metadata_insert",
  "perdura_rollup_metadata_update",
  "perdura_rollup_update",
  "perdura_stale_users",
  "perdura_summed_keys",
  "perdura_user_days",
  "perdura_user_key_days",
  "perdura_user_rollup",
  "perdura_value_days",
];

it("a database with few rows gets no rollup", () => {
  const { database, rollup, allRows } = asked(newPath());
  addRows(database, 5);
  expect(differences(rollup, allRows)).toEqual([]);
  expect(rollupObjects(database)).toEqual([]);
  // Independent of the gaps between ids.
  database.exec("UPDATE interactions SET id = id * 1000");
  rollup.global();
  expect(rollupObjects(database)).toEqual([]);
  rollup.foldAll();
  expect(rollupObjects(database)).toEqual([]);
});

it("statistics of many rows come from the rollup and from the newer rows", () => {
  const { database, rollup, allRows } = asked(newPath());
  addRows(database, 6);
  expect(differences(rollup, allRows)).toEqual([]);
  expect(rollupObjects(database)).toEqual(ALL);
  addRows(database, 3);
  expect(differences(rollup, allRows)).toEqual([]);
  fake(database);
  expect(rollup.user("a")).toMatchObject({ total_operations: 1000 });
  expect(rollup.global()).toMatchObject({ total_users: 999, total_interactions: 9 });
  rollup.foldAll();
  database.exec("DELETE FROM perdura_user_rollup WHERE user_id = 'b'");
  expect(rollup.users()).toEqual(["a", "c"]);
});

it("with the default limits, questions about ten thousand rows fold them, each some", () => {
  const { database, rollup, allRows } = asked(newPath(), {});
  addRows(database, 10_000);
  rollup.global();
  const watermark = database.prepare("SELECT watermark FROM perdura_rollup").pluck() as Statement<[], number>;
  let before = 0;
  // A question may read the rest.
  while ((watermark.get() as number) < 10_000 - 4096) {
    expect(watermark.get()).toBeGreaterThan(before);
    before = watermark.get() as number;
    expect(differences(rollup, allRows)).toEqual([]);
  }
});

test.each([
  ["one user", (rollup: RollupStatistics) => rollup.user("a")],
  ["all users", (rollup: RollupStatistics) => rollup.global()],
])("a question about %s folds many new rows", (_what, ask) => {
  const { database, rollup } = asked(newPath());
  addRows(database, 30);
  rollup.foldAll();
  addRows(database, 30);
  ask(rollup);
  expect(database.prepare("SELECT watermark FROM perdura_rollup").pluck().get()).toBe(60);
});

it("a connection uses a rollup that another one created later", () => {
  const path = newPath();
  const first = asked(path, { ...SMALL, threshold: 1000 });
  addRows(first.database, 30);
  expect(first.rollup.user("a").total_operations).toBe(10);
  asked(path).rollup.foldAll();
  fake(first.database);
  expect(first.rollup.user("a").total_operations).toBe(999);
});

test.each([
  ["most rows are not folded", "DELETE FROM interactions WHERE false", 60],
  ["changed users have many rows", "UPDATE interactions SET level = 5", 0],
])("within a transaction, which folds nothing, all rows are counted if %s", (_what, change, more) => {
  const { database, rollup, allRows } = asked(newPath());
  addRows(database, 30);
  rollup.foldAll();
  fake(database);
  database.exec(change);
  addRows(database, more);
  database.transaction(() => expect(rollup.global()).toEqual(allRows.global()))();
});

it("computes a user's statistics again if folded rows changed, and keeps those of others", () => {
  const { database, rollup, allRows } = asked(newPath());
  addRows(database, 30);
  rollup.foldAll();
  fake(database);
  database.exec("UPDATE interactions SET level = 5 WHERE id = 1");
  expect(rollup.user("a")).toEqual(allRows.user("a"));
  expect(rollup.user("b")).toMatchObject({ total_operations: 999 });
});

test.each([
  ["one user", (rollup: RollupStatistics, user: string) => rollup.user(user)],
  ["all users", (rollup: RollupStatistics) => rollup.global()],
])("before a question about %s, folds a changed user with many folded rows again, not one with few", (_what, ask) => {
  const { database, rollup } = asked(newPath());
  addRows(database, 30);
  database.exec("INSERT INTO interactions (user_id, level, success) VALUES ('d', 1, 1)");
  rollup.foldAll();
  const stale = database.prepare("SELECT user_id FROM perdura_stale_users").pluck();
  database.exec("UPDATE interactions SET level = 5 WHERE user_id = 'd'");
  ask(rollup, "d");
  expect(stale.all()).toEqual(["d"]);
  database.exec("UPDATE interactions SET level = 5 WHERE id = 1");
  ask(rollup, "a");
  expect(stale.all()).toEqual([]);
});

it("ids that are not UTF-8, or blobs, cannot be asked for, so they are not listed", () => {
  const { database, rollup, allRows } = asked(newPath());
  addRows(database, 30);
  for (const bytes of ["ff", "fe"])
    database.exec(`INSERT INTO interactions (user_id, level, success) VALUES (CAST(x'${bytes}' AS TEXT), 1, 1)`);
  rollup.foldAll();
  database.exec("INSERT INTO interactions (user_id, level, success) VALUES (x'61', 1, 1), (x'64', 1, 1)");
  expect(rollup.users()).toEqual(["a", "b", "c"]);
  database.exec("INSERT INTO interactions (user_id, level, success) VALUES ('\ufffd', 1, 1)");
  expect(rollup.users()).toEqual(["a", "b", "c", "\ufffd"]);
  expect(rollup.users()).toEqual(allRows.users());
});

it("works in memory", () => {
  const { database, rollup, allRows } = asked(":memory:");
  addRows(database, 30);
  expect(differences(rollup, allRows)).toEqual([]);
  expect(rollupObjects(database)).toEqual(ALL);
});

it("answers inside a transaction without folding", () => {
  const { database, rollup, allRows } = asked(newPath());
  addRows(database, 30);
  database.transaction(() => expect(differences(rollup, allRows)).toEqual([]))();
  expect(rollupObjects(database)).toEqual([]);
});

it("statistics of a copy by VACUUM INTO are right, also after changes", () => {
  const [path, copy] = [newPath(), newPath()];
  const { database, rollup } = asked(path);
  addRows(database, 30);
  rollup.foldAll();
  database.prepare("VACUUM INTO ?").run(copy);
  const other = asked(copy);
  expect(differences(other.rollup, other.allRows)).toEqual([]);
  other.database.exec("DELETE FROM interactions WHERE id < 9");
  expect(differences(other.rollup, other.allRows)).toEqual([]);
});

it("any change of the schema causes a new rollup, since triggers may have been absent", () => {
  const { database, rollup, allRows } = asked(newPath());
  addRows(database, 30);
  rollup.foldAll();
  fake(database);
  database.exec("CREATE TABLE other (a)");
  expect(differences(rollup, allRows)).toEqual([]);
  expect(rollupObjects(database)).toEqual(ALL);
});

test.each([
  ["dropped", "DROP TRIGGER perdura_rollup_insert; DROP TABLE perdura_user_rollup"],
  ["replaced", "DROP TABLE perdura_user_rollup; CREATE TABLE perdura_user_rollup (user_id)"],
  [
    "kept, but rows were deleted without the triggers",
    "DROP TRIGGER perdura_rollup_delete; DELETE FROM interactions WHERE id = 1",
  ],
])("the next question notices that the tables of the rollup were %s", (_what, sql) => {
  const path = newPath();
  const { database, rollup, allRows } = asked(path);
  addRows(database, 30);
  rollup.foldAll();
  expect(rollup.user("a").total_operations).toBe(10);
  const other = new Sqlite(path);
  other.exec(sql);
  other.close();
  expect(rollup.user("a")).toEqual(allRows.user("a"));
  expect(differences(rollup, allRows)).toEqual([]);
});

test.each([
  "CREATE TABLE perdura_stale_users (user_id TEXT PRIMARY KEY)",
  "CREATE VIEW perdura_user_rollup AS SELECT 1",
  "CREATE TRIGGER Perdura_Rollup_Insert AFTER INSERT ON interactions BEGIN SELECT 1; END",
  "CREATE INDEX perdura_rollup ON interactions(level)",
])("does not change a user's object with a name of the rollup: %s", (create) => {
  const { database, rollup, allRows } = asked(newPath());
  database.exec(create);
  const before = database.prepare("SELECT * FROM sqlite_schema").all();
  addRows(database, 30);
  expect(differences(rollup, allRows)).toEqual([]);
  rollup.foldAll();
  expect(database.prepare("SELECT * FROM sqlite_schema WHERE name <> 'sqlite_sequence'").all()).toEqual(
    before.filter((object) => (object as { name: string }).name !== "sqlite_sequence"),
  );
});

it("does not change a rollup of a newer format", () => {
  const path = newPath();
  const { database, rollup, allRows } = asked(path);
  addRows(database, 30);
  rollup.foldAll();
  fake(database);
  database.exec("UPDATE perdura_rollup SET format = 2");
  const later = rollupStatistics(database, "level", SMALL);
  expect(differences(later, allRows)).toEqual([]);
  later.foldAll();
  expect(database.prepare("SELECT format, users FROM perdura_rollup").raw().all()).toEqual([[2, 999]]);
});

it("a question about the trend of all users refreshes stale users", () => {
  // Time enough on a slow machine.
  const { database, rollup, allRows } = asked(newPath(), { budgetMs: 60_000 });
  addRows(database, 10_000);
  rollup.foldAll();
  database.exec("UPDATE interactions SET success = 0 WHERE id = 7");
  const stale = database.prepare("SELECT count(*) FROM perdura_stale_users").pluck();
  expect(stale.get()).toBe(1);
  // The sizes of the pieces, which follow the time that they take, decide how the times are rounded.
  const rounded = allRows.globalTrend(askedTrend({})).map(({ avg_response_time_ms: mean, ...period }) => ({
    ...period,
    avg_response_time_ms: expect.closeTo(mean, 6) as number,
  }));
  expect(rollup.globalTrend(askedTrend({}))).toEqual(rounded);
  expect(stale.get()).toBe(0);
});

const COLUMNS = "success BOOLEAN, response_time_ms REAL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP";

test.each([
  ["ids without AUTOINCREMENT", `id INTEGER PRIMARY KEY, user_id TEXT NOT NULL, level INTEGER, ${COLUMNS}`],
  [
    "another collation",
    `id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL COLLATE NOCASE, level INTEGER, ${COLUMNS}`,
  ],
  ["a user column without a type", `id INTEGER PRIMARY KEY AUTOINCREMENT, user_id NOT NULL, level INTEGER, ${COLUMNS}`],
  ["a nullable user column", `id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT, level INTEGER, ${COLUMNS}`],
  [
    "a nullable user column next to a NOT NULL column",
    `id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT, level INTEGER, note TEXT NOT NULL DEFAULT '', ${COLUMNS}`,
  ],
  [
    "a unique column",
    `id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, level INTEGER, other UNIQUE, ${COLUMNS}`,
  ],
  [
    "another key",
    `number INTEGER PRIMARY KEY AUTOINCREMENT, id INTEGER, user_id TEXT NOT NULL, level INTEGER, ${COLUMNS}`,
  ],
])("statistics of a table with %s come from all rows", (_what, columns) => {
  const path = newPath();
  const other = new Sqlite(path);
  other.exec(`CREATE TABLE interactions (${columns})`);
  other.exec("CREATE TABLE other (id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO other DEFAULT VALUES");
  for (let each = 0; each < 30; each += 1)
    other.exec(`INSERT INTO interactions (user_id, success) VALUES ('${"aAb"[each % 3]}', 1)`);
  other.close();
  const { database, rollup } = asked(path);
  expect(rollup.global()).toMatchObject({ total_interactions: 30 });
  rollup.foldAll();
  expect(rollupObjects(database)).toEqual([]);
});

it("statistics of a table without AUTOINCREMENT come from all rows, also without sqlite_sequence", () => {
  const path = newPath();
  const other = new Sqlite(path);
  other.exec(`CREATE TABLE interactions (id INTEGER PRIMARY KEY, user_id TEXT NOT NULL, level INTEGER, ${COLUMNS})`);
  other.close();
  const { database, rollup } = asked(path);
  addRows(database, 30);
  expect(rollup.global()).toMatchObject({ total_interactions: 30 });
  rollup.foldAll();
  expect(rollupObjects(database)).toEqual([]);
});

test.each(ALL)("records after %s was dropped and the database was opened again", (name) => {
  const path = newPath();
  const { database, rollup } = asked(path);
  addRows(database, 30);
  rollup.foldAll();
  database.exec(`DROP ${/_(?:insert|update|delete)$/.test(name) ? "TRIGGER" : "TABLE"} ${name}`);
  const opened = openMetrics(path, "level", {});
  expect(rollupObjects(opened)).toEqual([]);
  addRows(opened, 1);
  opened.close();
});

it("creates a new rollup after its table was emptied", () => {
  const { database, rollup, allRows } = asked(newPath());
  addRows(database, 30);
  rollup.foldAll();
  database.exec("DELETE FROM perdura_rollup");
  expect(differences(rollup, allRows)).toEqual([]);
  const later = rollupStatistics(database, "level", SMALL);
  expect(differences(later, allRows)).toEqual([]);
  expect(database.prepare("SELECT operations FROM perdura_rollup").pluck().all()).toEqual([30]);
});
