import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, connect, type Connection, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

const INSERT =
  "INSERT INTO metrics (user_id, empathy_level, success, response_time_ms, metadata) VALUES ('a', 1, 1, 2.5, NULL)";

async function migrated(fence: "tombstone" | "none"): Promise<Connection> {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 10);
  expect(await migrate(path, { fence })).toMatchObject({ exit_code: 0 });
  return connect(path);
}

describe("the tombstone", () => {
  test("makes pre-15 programs, and programs of 15 or later that rebuild the table, fail at their start", async () => {
    const database = await migrated("tombstone");
    expect(() => database.exec(FIELD_A)).toThrow("views may not be indexed");
    expect(() => database.exec("CREATE INDEX IF NOT EXISTS idx_user ON metrics(user_id)")).toThrow(
      "views may not be indexed",
    );
    expect(() => database.exec("ALTER TABLE metrics DROP COLUMN empathy_level")).toThrow("metrics");
    expect(() => database.exec("CREATE TABLE other AS SELECT * FROM metrics")).toThrow("migrated to version 16");
    expect(
      database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'metrics%'").all(),
    ).toEqual([]);
    database.close();
  });

  test("makes running programs fail with a message when they read or write", async () => {
    const database = await migrated("tombstone");
    expect(() => database.exec(INSERT)).toThrow(
      "This database was migrated to version 16: the table metrics is now interactions, which no version of the program that wrote it can use.",
    );
    expect(() => database.prepare("SELECT * FROM metrics WHERE user_id = 'a'").all()).toThrow("migrated to version 16");
    expect(() => database.prepare("SELECT count(*) FROM metrics").get()).toThrow("migrated to version 16");
    database.close();
  });

  test("does not prevent later schema changes", async () => {
    const database = await migrated("tombstone");
    database.exec(
      "ALTER TABLE interactions ADD COLUMN team TEXT; ALTER TABLE interactions RENAME COLUMN team TO crew; ALTER TABLE interactions DROP COLUMN crew; VACUUM",
    );
    expect(database.prepare("SELECT count(*) FROM interactions").pluck().get()).toBe(10);
    database.close();
  });
});

test("keeps no object under the old name without a fence", async () => {
  const database = await migrated("none");
  expect(() => database.exec(INSERT)).toThrow("no such table");
  database.close();
});
