import { join } from "node:path";
import { expect, test } from "vitest";
import { migrate, planMigration } from "../../src/index.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { FIELD_A, FIELD_B, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

function database(...statements: string[]): { folder: string; path: string } {
  const folder = freshFolder();
  const path = join(folder, "metrics.db");
  makeDatabase(path, ...statements);
  return { folder, path };
}

test.each([
  [
    "a table metrics with a column level",
    [FIELD_B, "ALTER TABLE metrics ADD COLUMN level INTEGER"],
    "contains interactions",
  ],
  [
    "levels that are computed from another column",
    [
      FIELD_B,
      "ALTER TABLE metrics ADD COLUMN base INTEGER DEFAULT 2",
      "ALTER TABLE metrics ADD COLUMN empathy_level INTEGER GENERATED ALWAYS AS (base + 1) VIRTUAL",
    ],
    "contains interactions",
  ],
])("refuses %s by name with any --missing-level, and changes nothing", async (_what, statements, words) => {
  const { folder, path } = database(...statements);
  const before = stampOf(folder);
  for (const report of [await planMigration(path), await migrate(path, { missingLevel: 5 })])
    expect(report).toMatchObject({
      exit_code: 3,
      databases: [{ status: "refused", layout: "unknown", reason: expect.stringContaining(words) }],
    });
  expect(stampOf(folder)).toBe(before);
});

test("accepts the lowest integer as a response time", async () => {
  const { path } = database(
    FIELD_A.replace("response_time_ms REAL", "response_time_ms"),
    "INSERT INTO metrics (user_id, empathy_level, success, response_time_ms) VALUES ('u', 1, 1, -9223372036854775808)",
  );
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ unusual_rows: [{ rows: 1 }] }] });
});
