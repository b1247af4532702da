import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { migrate } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, connect, DOCUMENTED_15, FIELD_A, makeDatabase } from "../support/legacy_database.ts";

function database(schema = FIELD_A): string {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, schema, "CREATE TABLE own (a, b); INSERT INTO own VALUES (1, 2), (3, 4)");
  addRows(path, schema === FIELD_A ? "metrics" : "interactions", 30);
  return path;
}

/** Migrates, and changes the backup just before the comparison. */
function migrateWith(verify: "full" | "quick", path: string, change: string): ReturnType<typeof migrate> {
  return migrate(path, {
    verify,
    onProgress: ({ stage }) => {
      if (stage !== "verify") return;
      const copy = connect(`${path}.v15.bak`);
      copy.exec(change);
      copy.close();
    },
  });
}

test("the report states the quick method", async () => {
  expect(await migrate(database(), { verify: "quick" })).toMatchObject({
    exit_code: 0,
    databases: [{ verification: { method: "quick", rows_before: 30, rows_after: 30, metadata_rows: 10 } }],
  });
});

test("compares pages if possible, which is faster and stronger", async () => {
  expect(await migrate(database(DOCUMENTED_15), { verify: "quick" })).toMatchObject({
    databases: [{ verification: { method: "pages" } }],
  });
});

describe("the quick and the full proof", () => {
  test.each([
    ["a row that is missing", "DELETE FROM metrics WHERE id = 7"],
    ["a row that has another id", "UPDATE metrics SET id = 900 WHERE id = 7"],
    ["metadata that is missing", "UPDATE metrics SET metadata = NULL WHERE id = 3"],
    ["a row of another table that is missing", "DELETE FROM own WHERE a = 1"],
    ["a row of another table that is another one", "UPDATE own SET rowid = 9 WHERE a = 1"],
    ["an object that is missing", "CREATE VIEW lost AS SELECT 1"],
    ["a counter that moved", "UPDATE sqlite_sequence SET seq = 77"],
  ])("both find %s", async (_what, change) => {
    for (const verify of ["full", "quick"] as const)
      expect(await migrateWith(verify, database(), change)).toMatchObject({
        exit_code: 1,
        databases: [{ status: "failed", reason: expect.stringContaining("The proof failed") }],
      });
  });

  test.each([
    ["a value", "UPDATE metrics SET user_id = 'other' WHERE id = 7"],
    ["a storage class", "UPDATE metrics SET timestamp = CAST(timestamp AS BLOB) WHERE id = 7"],
    ["a metadata text", "UPDATE metrics SET metadata = '{}' WHERE id = 3"],
    ["a value of another table", "UPDATE own SET b = 5 WHERE a = 1"],
  ])("only the full way finds %s that is another one", async (_what, change) => {
    expect(await migrateWith("quick", database(), change)).toMatchObject({ exit_code: 0 });
    expect(await migrateWith("full", database(), change)).toMatchObject({ exit_code: 1 });
  });
});
