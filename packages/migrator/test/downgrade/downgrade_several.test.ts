import { join } from "node:path";
import { expect, test } from "vitest";
import { migrate, downgradeMigration } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import {
  addRows,
  connect,
  DOCUMENTED_15,
  FIELD_A,
  makeDatabase,
  query,
} from "../../../../test/legacy/legacy_database.ts";
import { wholeContent } from "../support/whole_content.ts";

function made(layout: string, table: "interactions" | "metrics"): string {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, layout);
  addRows(path, table, 12);
  return path;
}

function execute(path: string, sql: string): void {
  const database = connect(path);
  database.exec(sql);
  database.close();
}

test("keeps rows of a table that a pre-16 program created after the migration with the others", async () => {
  const path = made(FIELD_A, "metrics");
  const before = wholeContent(path);
  await migrate(path, { fence: "none" });
  execute(
    path,
    `${FIELD_A} INSERT INTO metrics (user_id, empathy_level, success, metadata) VALUES ('late', 2, 1, '{}'), ('late', 9, 1, '{"odd": 1}')`,
  );
  expect(await migrate(path, { fence: "none", invalidRows: "quarantine" })).toMatchObject({ exit_code: 0 });
  expect(query(path, "SELECT number, layout FROM perdura_migration")).toEqual([
    [1n, "field-a"],
    [2n, "both"],
  ]);
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  const after = wholeContent(path);
  expect(after.objects).toEqual(before.objects);
  expect(after.tables.metrics?.rows.slice(0, 12)).toEqual(before.tables.metrics?.rows);
  expect(query(path, "SELECT id, user_id, empathy_level, metadata FROM metrics WHERE id > 12")).toEqual([
    [13n, "late", 2n, "{}"],
    [14n, "late", 9n, '{"odd": 1}'],
  ]);
});

test("drops an index that a later run built again", async () => {
  const path = made(FIELD_A, "metrics");
  const before = wholeContent(path);
  await migrate(path);
  execute(path, "DROP INDEX idx_interactions_user");
  await migrate(path);
  await downgradeMigration(path);
  expect(wholeContent(path)).toEqual(before);
});

test.each(["tombstone", "none"] as const)("drops the fence %s", async (fence) => {
  const path = made(FIELD_A, "metrics");
  const before = wholeContent(path);
  await migrate(path, { fence });
  await downgradeMigration(path);
  expect(wholeContent(path)).toEqual(before);
});

test.each(["2019-01-01", "2030-01-01"])("restores merged rows of %s with their former ids", async (time) => {
  const path = made(DOCUMENTED_15, "interactions");
  execute(
    path,
    `${FIELD_A} CREATE INDEX my_index ON metrics(metadata); CREATE TRIGGER my_trigger AFTER INSERT ON metrics BEGIN SELECT 1; END;
    INSERT INTO metrics (user_id, empathy_level, success, timestamp, metadata) VALUES ('a', 2, 1, '${time}', '{}'), ('b', 3, 'yes', '${time}', NULL), ('b', 7, 1, '${time}', 'x');
    DELETE FROM metrics WHERE id = 2; INSERT INTO metrics (user_id, empathy_level, success, timestamp) VALUES ('c', 1, 0, '${time}')`,
  );
  const before = wholeContent(path);
  await migrate(path, { invalidRows: "quarantine" });
  await downgradeMigration(path);
  expect(wholeContent(path)).toEqual(before);
  await migrate(path, { invalidRows: "quarantine" });
  execute(path, "INSERT INTO interactions (user_id, level, success) VALUES ('new', 5, 1)");
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(wholeContent(path).tables.metrics).toEqual(before.tables.metrics);
  expect(query(path, "SELECT count(*), max(empathy_level) FROM interactions WHERE user_id = 'new'")).toEqual([
    [1n, 5n],
  ]);
});
