import { join } from "node:path";
import { expect, test } from "vitest";
import { migrate } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, connect, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

function database(): string {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_A, "CREATE TABLE own (a, b); INSERT INTO own VALUES (1, 2), (3, 4)");
  addRows(path, "metrics", 30);
  return path;
}

/** Migrates, and changes the backup just before the comparison. */
function migrateWith(path: string, change: string): ReturnType<typeof migrate> {
  return migrate(path, {
    onProgress: ({ stage }) => {
      if (stage !== "verify") return;
      const copy = connect(`${path}.v15.bak`);
      copy.exec(change);
      copy.close();
    },
  });
}

test("compares every row and its metadata", async () => {
  expect(await migrate(database())).toMatchObject({
    exit_code: 0,
    databases: [{ verification: { method: "rows", rows_before: 30, rows_after: 30, metadata_rows: 10 } }],
  });
});

test.each([
  ["a row that is missing", "DELETE FROM metrics WHERE id = 7"],
  ["a row that has another id", "UPDATE metrics SET id = 900 WHERE id = 7"],
  ["metadata that is missing", "UPDATE metrics SET metadata = NULL WHERE id = 3"],
  ["a row of another table that is missing", "DELETE FROM own WHERE a = 1"],
  ["a row of another table that is another one", "UPDATE own SET rowid = 9 WHERE a = 1"],
  ["an object that is missing", "CREATE VIEW lost AS SELECT 1"],
  ["a counter that moved", "UPDATE sqlite_sequence SET seq = 77"],
  ["a value that is another one", "UPDATE metrics SET user_id = 'other' WHERE id = 7"],
  ["a storage class that is another one", "UPDATE metrics SET timestamp = CAST(timestamp AS BLOB) WHERE id = 7"],
  ["a metadata text that is another one", "UPDATE metrics SET metadata = '{}' WHERE id = 3"],
  ["a value of another table that is another one", "UPDATE own SET b = 5 WHERE a = 1"],
])("finds %s", async (_what, change) => {
  expect(await migrateWith(database(), change)).toMatchObject({
    exit_code: 1,
    databases: [{ status: "failed", reason: expect.stringContaining("The proof failed") }],
  });
});
