import { join } from "node:path";
import { expect, test } from "vitest";
import { migrate } from "../support/migrate.ts";
import { layoutSuite, rotated, useLayout } from "../layouts/layout_suite.ts";
import { fill, type OldTable, optionsFor, spelled } from "../layouts/old_table.ts";
import { freshFolder } from "../support/folder.ts";
import { makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { changingCopy } from "./changed_copy.ts";

function database(old: OldTable): string {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, old.create, "CREATE TABLE own (a, b); INSERT INTO own VALUES (1, 2), (3, 4)");
  fill(path, old, 30);
  // Pages prove nothing about a table with a computed column.
  makeDatabase(path, "CREATE TABLE computed (a, b AS (a))");
  return path;
}

/** Migrates, and changes the backup just before the comparison. */
function migrateWith(path: string, change: string, options: ReturnType<typeof optionsFor>): ReturnType<typeof migrate> {
  return migrate(path, { ...options, onProgress: changingCopy(`${path}.v15.bak`, change) });
}

layoutSuite((old) => {
  test("compares every row and its metadata", async () => {
    expect(await migrate(database(old), optionsFor(old))).toMatchObject({
      exit_code: 0,
      databases: [
        {
          verification: {
            method: "rows",
            rows_before: 30,
            rows_after: 30,
            metadata_rows: old.names.metadata === undefined ? 0 : 10,
          },
        },
      ],
    });
  });
});

const CHANGES = [
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
] as const;

test.each(rotated(CHANGES))("finds %s", async (_what, change, old) => {
  useLayout(old);
  expect(await migrateWith(database(old), spelled(old, change), optionsFor(old))).toMatchObject({
    exit_code: 1,
    databases: [{ status: "failed", reason: expect.stringContaining("The proof failed") }],
  });
});
