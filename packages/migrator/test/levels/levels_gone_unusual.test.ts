import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import { planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { connect, FIELD_B, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

test("reports invalid rows and missing levels together; quarantined rows need no level", async () => {
  const path = join(freshFolder(), "m.db");
  // The type of the column accepts text.
  makeDatabase(
    path,
    FIELD_B,
    `INSERT INTO metrics (id, user_id, success, response_time_ms, metadata) VALUES
      (1, 'a', 1, 5, '{"n": 1}'), (2, 'b', 1, 'slow', '{"n": 2}'), (3, x'00', 0, 1, NULL), (4, 'a', 'yes', -1, NULL)`,
  );
  const { exit_code, databases } = await planMigration(path);
  expect({ exit_code, reason: databases[0]?.reason }).toEqual({
    exit_code: 3,
    reason: expect.stringMatching(/--invalid-rows quarantine.*2 rows have no level.*--missing-level/),
  });
  expect(databases[0]?.unusual_rows.map(({ kind }) => kind)).not.toContain("level_not_an_integer");
  expect(await migrate(path, { missingLevel: 4 })).toMatchObject({ exit_code: 3 });
  const report = await migrate(path, { missingLevel: 4, invalidRows: "quarantine" });
  expect(report).toMatchObject({
    exit_code: 0,
    databases: [
      {
        assumed_levels: [{ level: 4, rows: 2, users: 1, source: "option" }],
        verification: { rows_before: 4, rows_after: 2, rows_quarantined: 2, differences: [] },
      },
    ],
  });
  expect(query(path, "SELECT id, success, level FROM interactions")).toEqual([
    [1n, 1n, 4n],
    [4n, "yes", 4n],
  ]);
  expect(
    query(path, "SELECT id, typeof(user_id), response_time_ms, metadata FROM perdura_quarantine ORDER BY id"),
  ).toEqual([
    [2n, "text", "slow", '{"n": 2}'],
    [3n, "blob", 1, null],
  ]);
  expect(query(path, "SELECT first_id, last_id, rows FROM perdura_assumed_levels")).toEqual([[1n, 4n, 2n]]);
  expect((await verifyMigration(path)).exit_code).toBe(0);
});

test("keeps the user's objects and columns; setting levels fires no trigger", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    FIELD_B.replace(
      "metadata TEXT",
      "metadata TEXT, note TEXT DEFAULT 'level INTEGER NOT NULL', [a b] INT CHECK ([a b] IS NOT 3)",
    ),
    `CREATE TABLE audit (what);
    CREATE TRIGGER on_update AFTER UPDATE ON metrics BEGIN INSERT INTO audit VALUES ('updated ' || OLD.id); END;
    CREATE TRIGGER on_insert AFTER INSERT ON metrics BEGIN INSERT INTO audit VALUES ('inserted ' || NEW.id); END;
    CREATE VIEW my_users AS SELECT user_id, count(*) AS n FROM metrics GROUP BY user_id;
    CREATE INDEX my_index ON metrics (user_id COLLATE NOCASE, note);
    INSERT INTO metrics (user_id, success, [a b]) VALUES ('a', 1, 1), ('b', 0, 2);
    DELETE FROM audit`,
  );
  // Kept for one row, so that rows are filled in one by one.
  makeDatabase(
    path,
    "CREATE TABLE perdura_kept_levels (id INTEGER PRIMARY KEY, level)",
    "INSERT INTO perdura_kept_levels VALUES (2, 5)",
  );
  const triggers = query(path, "SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid");
  expect(await migrate(path, { missingLevel: 2, fence: "none" })).toMatchObject({ exit_code: 0 });
  expect(query(path, "SELECT id, level, note, [a b] FROM interactions")).toEqual([
    [1n, 2n, "level INTEGER NOT NULL", 1n],
    [2n, 5n, "level INTEGER NOT NULL", 2n],
  ]);
  expect(query(path, "SELECT * FROM audit")).toEqual([]);
  expect(query(path, "SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid")).toEqual(triggers);
  expect(query(path, "SELECT * FROM my_users ORDER BY 1")).toEqual([
    ["a", 1n],
    ["b", 1n],
  ]);
  const database = connect(path);
  database.exec("UPDATE interactions SET level = 3 WHERE id = 1");
  expect(database.prepare("SELECT what FROM audit").pluck().all()).toEqual(["updated 1"]);
  expect(() => database.exec("INSERT INTO interactions (user_id, success) VALUES ('c', 1)")).toThrow(/NOT NULL/);
  expect(database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'my_index'").get()).toBeDefined();
  database.close();
});

test("finds a wrong level, and a missing record, later", async () => {
  for (const damage of [
    "UPDATE interactions SET level = 5 WHERE id = 7",
    "UPDATE perdura_assumed_levels SET last_id = 31",
    "UPDATE perdura_assumed_levels SET rows = 31",
    "DELETE FROM perdura_assumed_levels",
    "DROP TABLE perdura_assumed_levels",
  ]) {
    const path = join(freshFolder(), "m.db");
    copyFileSync(fixture("legacy", "field-c.db"), path);
    await migrate(path, { missingLevel: 2 });
    makeDatabase(path, damage);
    expect(await verifyMigration(path), damage).toMatchObject({
      exit_code: 4,
      databases: [
        { verification: { differences: expect.arrayContaining([expect.stringContaining("perdura_assumed_levels")]) } },
      ],
    });
  }
});

test("migrates a database whose rows are only in the write-ahead log", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, "PRAGMA journal_mode = WAL", FIELD_B);
  const writer = connect(path);
  writer.exec("INSERT INTO metrics (user_id, success) VALUES ('a', 1), ('b', 0)");
  const plan = await planMigration(path, { missingLevel: 2 });
  expect(plan).toMatchObject({ databases: [{ assumed_levels: [{ rows: 2, users: 2 }] }] });
  expect(await migrate(path, { missingLevel: 2 })).toMatchObject({ exit_code: 0 });
  // A connection that stayed open sees the current schema.
  expect(writer.prepare("SELECT level, typeof(level), count(*) FROM interactions").raw().all()).toEqual([
    [2, "integer", 2],
  ]);
  expect(() => writer.exec("INSERT INTO interactions (user_id, success) VALUES ('c', 1)")).toThrow(/NOT NULL/);
  writer.close();
});
