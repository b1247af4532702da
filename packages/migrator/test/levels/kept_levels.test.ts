import { join } from "node:path";
import { expect, test } from "vitest";
import { planMigration, downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { KEPT_LEVELS } from "../../src/database/record/side_tables.ts";
import { freshFolder } from "../support/folder.ts";
import { FIELD_B, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

const ROWS = `INSERT INTO metrics (id, user_id, success) VALUES
  (1, 'a', 1), (2, 'b', 0), (5, 'a', 1), (6, 'b', 1), (7, 'a', 0), (8, 'a', 1)`;

/** A database without levels after a downgrade: with the levels that a program of 16 recorded. */
function withKept(...kept: string[]): string {
  const path = join(freshFolder(), "m.db");
  const rows = kept.map((row) => `INSERT INTO perdura_kept_levels VALUES ${row}`);
  makeDatabase(path, FIELD_B, ROWS, KEPT_LEVELS.create, ...rows);
  return path;
}

test("uses kept levels first, without a decision", async () => {
  const path = withKept("(1, 2), (2, 2), (5, 4), (6, 1), (7, 2), (8, 5)");
  const report = await migrate(path);
  expect(report).toMatchObject({
    exit_code: 0,
    databases: [
      {
        assumed_levels: [
          { level: 1, rows: 1, users: 1, source: "kept" },
          { level: 2, rows: 3, users: 2, source: "kept" },
          { level: 4, rows: 1, users: 1, source: "kept" },
          { level: 5, rows: 1, users: 1, source: "kept" },
        ],
        verification: { differences: [] },
      },
    ],
  });
  expect(query(path, "SELECT id, level FROM interactions ORDER BY id")).toEqual([
    [1n, 2n],
    [2n, 2n],
    [5n, 4n],
    [6n, 1n],
    [7n, 2n],
    [8n, 5n],
  ]);
  expect(query(path, "SELECT name FROM sqlite_schema WHERE name = 'perdura_kept_levels'")).toEqual([]);
  expect(query(`${path}.v15.bak`, "SELECT count(*) FROM perdura_kept_levels")).toEqual([[6n]]);
  expect((await verifyMigration(path)).exit_code).toBe(0);
});

test("gives rows between them the chosen level, in ranges without kept levels", async () => {
  const path = withKept("(5, 4), (7, 2)");
  expect(await planMigration(path)).toMatchObject({
    exit_code: 3,
    databases: [{ missing_levels: { rows: 4, users: 2 } }],
  });
  const plan = await planMigration(path, { missingLevel: 3 });
  const { databases, exit_code } = await migrate(path, { missingLevel: 3 });
  expect(exit_code).toBe(0);
  expect(databases[0]).toMatchObject({
    steps: plan.databases[0]?.steps,
    assumed_levels: plan.databases[0]?.assumed_levels,
  });
  expect(query(path, "SELECT level FROM interactions ORDER BY id")).toEqual([[3n], [3n], [4n], [3n], [2n], [3n]]);
  expect(
    query(path, "SELECT user_id, first_id, last_id, rows, level, source FROM perdura_assumed_levels ORDER BY 6, 2"),
  ).toEqual([
    [null, 5n, 5n, 1n, 4n, "kept"],
    [null, 7n, 7n, 1n, 2n, "kept"],
    [null, 1n, 2n, 2n, 3n, "option"],
    [null, 6n, 6n, 1n, 3n, "option"],
    [null, 8n, 8n, 1n, 3n, "option"],
  ]);
  expect((await verifyMigration(path)).exit_code).toBe(0);
});

test("keeps and reports levels without a row, and invalid ones", async () => {
  const path = withKept("(5, 4), (99, 2), (6, 7), (7, '3')");
  const report = await migrate(path, { missingLevel: 1 });
  expect(report).toMatchObject({
    exit_code: 0,
    databases: [{ notes: ["3 levels in the table perdura_kept_levels match no row and stay there"] }],
  });
  expect(query(path, "SELECT level FROM interactions ORDER BY id")).toEqual([[1n], [1n], [4n], [1n], [1n], [1n]]);
  expect(query(path, "SELECT * FROM perdura_kept_levels ORDER BY id")).toEqual([
    [6n, 7n],
    [7n, "3"],
    [99n, 2n],
  ]);
  expect((await verifyMigration(path)).exit_code).toBe(0);
});

test("does not change a table of the user with that name", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_B, ROWS, "CREATE TABLE perdura_kept_levels (id INTEGER PRIMARY KEY, level TEXT)");
  makeDatabase(path, "INSERT INTO perdura_kept_levels VALUES (1, 'mine')");
  expect(await migrate(path, { missingLevel: 1 })).toMatchObject({ exit_code: 0 });
  expect(query(path, "SELECT * FROM perdura_kept_levels")).toEqual([[1n, "mine"]]);
});

test("keeps recorded and corrected levels in a downgrade and the next migration", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_B, ROWS);
  await migrate(path, { missingLevel: 3 });
  makeDatabase(
    path,
    "INSERT INTO interactions (user_id, level, success) VALUES ('new', 5, 1)",
    "UPDATE interactions SET level = 1 WHERE id = 5",
  );
  const before = query(path, "SELECT id, level FROM interactions ORDER BY id");
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "downgraded" }] });
  expect(await migrate(path, { missingLevel: 3 })).toMatchObject({ exit_code: 0 });
  expect(query(path, "SELECT id, level FROM interactions ORDER BY id")).toEqual(before);
  expect((await verifyMigration(path)).exit_code).toBe(0);
});
