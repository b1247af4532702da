import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { connect, FIELD_B, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { wholeContent } from "../support/whole_content.ts";

function withoutLevels(rows: number): string {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    FIELD_B,
    `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${rows})
    INSERT INTO metrics (user_id, success, metadata) SELECT 'u' || (n % 3), 1, iif(n % 2, '{}', NULL) FROM n`,
  );
  return path;
}

function execute(path: string, sql: string): void {
  const database = connect(path);
  database.exec(sql);
  database.close();
}

const KEPT = "SELECT id, level FROM perdura_kept_levels";

test("keeps recorded or corrected levels by id, and uses them again without a decision", async () => {
  const path = withoutLevels(10);
  const before = wholeContent(path);
  await migrate(path, { missingLevel: 3 });
  execute(
    path,
    "INSERT INTO interactions (user_id, level, success) VALUES ('new', 5, 1), ('new', 3, 0); UPDATE interactions SET level = 2 WHERE id = 4",
  );
  const levels = query(path, "SELECT id, level FROM interactions");
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(query(path, KEPT)).toEqual([
    [4n, 2n],
    [11n, 5n],
    [12n, 3n],
  ]);
  const columns = before.tables.metrics?.columns;
  expect(wholeContent(path).tables.metrics?.columns).toEqual(columns);
  // A row of a pre-16 program: it has no level, and there is no decision about it.
  execute(path, "INSERT INTO metrics (user_id, success) VALUES ('late', 1)");
  expect(await migrate(path)).toMatchObject({ exit_code: 3, databases: [{ missing_levels: { rows: 10 } }] });
  const old = wholeContent(path);
  expect(await migrate(path, { missingLevel: 3 })).toMatchObject({ exit_code: 0 });
  expect(query(path, "SELECT id, level FROM interactions WHERE id < 13")).toEqual(levels);
  // Downgraded again: kept levels are kept again, even if equal to the level that was assumed for others.
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(wholeContent(path)).toEqual(old);
});

test("refuses, by name, an index on the level that was created since", async () => {
  const path = withoutLevels(3);
  await migrate(path, { missingLevel: 1 });
  execute(path, "CREATE INDEX my_levels ON interactions(level)");
  const before = wholeContent(path);
  expect(await downgradeMigration(path)).toMatchObject({
    exit_code: 3,
    databases: [{ status: "refused", reason: expect.stringContaining("my_levels") }],
  });
  expect(wholeContent(path)).toEqual(before);
});

test("refuses a view on the level", async () => {
  const path = withoutLevels(3);
  await migrate(path, { missingLevel: 1 });
  execute(path, "CREATE VIEW my_view AS SELECT user_id, level FROM interactions");
  expect(await downgradeMigration(path)).toMatchObject({
    exit_code: 3,
    databases: [{ status: "refused", reason: expect.stringContaining("my_view") }],
  });
});

test("keeps levels of a second table under its ids", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    `CREATE TABLE interactions (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, level INTEGER NOT NULL, success BOOLEAN NOT NULL, response_time_ms REAL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
    INSERT INTO interactions (user_id, level, success, timestamp) VALUES ('a', 4, 1, '2020-01-01 10:00:00'), ('b', 5, 1, '2020-01-01 10:00:00');`,
    FIELD_B,
    "INSERT INTO metrics (user_id, success, timestamp) VALUES ('a', 1, '2021-01-01 10:00:00'), ('c', 0, '2021-01-01 10:00:00'), ('c', 1, '2021-01-01 10:00:00')",
  );
  const before = wholeContent(path);
  await migrate(path, { missingLevel: 3 });
  execute(path, "UPDATE interactions SET level = 1 WHERE user_id = 'c' AND success = 0");
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(query(path, KEPT)).toEqual([[2n, 1n]]);
  expect(wholeContent(path).tables.metrics).toEqual(before.tables.metrics);
  expect(wholeContent(path).tables.interactions).toEqual(before.tables.interactions);
  await migrate(path, { missingLevel: 3 });
  expect(query(path, "SELECT level FROM interactions WHERE user_id = 'c' ORDER BY id")).toEqual([[1n], [3n]]);
});
