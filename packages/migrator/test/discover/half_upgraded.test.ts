import { join } from "node:path";
import { expect, test } from "vitest";
import { planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

/** Table to which a program of 15.0.0 or later migrates layout A. */
const NEW_TABLE = `CREATE TABLE metrics_new (
  id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, success BOOLEAN NOT NULL, response_time_ms REAL,
  timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, metadata TEXT)`;
const COPY =
  "INSERT INTO metrics_new SELECT id, user_id, success, response_time_ms, timestamp, metadata FROM metrics WHERE id <= 3";

function halfUpgraded(...statements: string[]): string {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_A, "DROP INDEX idx_user_level");
  addRows(path, "metrics", 5);
  makeDatabase(path, NEW_TABLE, ...statements);
  return path;
}

test.each([
  ["empty", [], "metrics has all of its rows"],
  ["with rows that metrics has too", [COPY], "metrics has all of its rows"],
  [
    "with a row that is nowhere else",
    [COPY, "UPDATE metrics_new SET success = 7 WHERE id = 2"],
    "1 of its rows is not in metrics",
  ],
])("takes levels from metrics, and keeps metrics_new unchanged: %s", async (_what, statements, note) => {
  const path = halfUpgraded(...statements);
  const left = query(path, "SELECT * FROM metrics_new");
  const rows = query(path, "SELECT id, user_id, empathy_level, success FROM metrics ORDER BY id");
  const { exit_code, databases } = await migrate(path);
  expect(exit_code).toBe(0);
  expect(databases[0]).toMatchObject({
    status: "migrated",
    layout: "half-upgraded",
    notes: [expect.stringContaining(note)],
  });
  expect(query(path, "SELECT * FROM metrics_new")).toEqual(left);
  expect(query(path, "SELECT id, user_id, level, success FROM interactions ORDER BY id")).toEqual(rows);
  expect((await verifyMigration(path)).exit_code).toBe(0);
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "nothing_to_do", notes: [] }] });
});

test("requires a decision about levels if only metrics_new is left", async () => {
  const path = halfUpgraded(COPY, "DROP TABLE metrics");
  const before = stampOf(join(path, ".."));
  expect(await planMigration(path)).toMatchObject({
    exit_code: 3,
    databases: [{ layout: "half-upgraded", missing_levels: { rows: 3 } }],
  });
  expect(stampOf(join(path, ".."))).toBe(before);
  const rows = query(path, "SELECT id, user_id, 4, success, response_time_ms, timestamp FROM metrics_new ORDER BY id");
  const metadata = query(path, "SELECT id, metadata FROM metrics_new WHERE metadata IS NOT NULL");
  expect(await migrate(path, { missingLevel: 4 })).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  expect(
    query(path, "SELECT id, user_id, level, success, response_time_ms, timestamp FROM interactions ORDER BY id"),
  ).toEqual(rows);
  expect(query(path, "SELECT * FROM interaction_metadata")).toEqual(metadata);
  expect((await verifyMigration(path)).exit_code).toBe(0);
  expect(await migrate(path)).toMatchObject({ databases: [{ status: "nothing_to_do" }] });
});

test("refuses metrics_new with levels instead of assuming other ones", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    FIELD_A.replaceAll("metrics", "metrics_new"),
    "INSERT INTO metrics_new (user_id, empathy_level, success) VALUES ('a', 4, 1)",
  );
  const before = stampOf(join(path, ".."));
  const { databases } = await migrate(path, { missingLevel: 2 });
  expect(databases).toMatchObject([
    { status: "refused", reason: expect.stringContaining("The table metrics_new contains interactions with levels") },
  ]);
  expect(stampOf(join(path, ".."))).toBe(before);
});
