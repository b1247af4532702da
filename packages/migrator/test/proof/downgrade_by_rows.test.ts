import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeMigration } from "../../src/index.ts";
import { FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { freshFolder } from "../support/folder.ts";
import { migrate } from "../support/migrate.ts";
import { changingCopy } from "./changed_copy.ts";
import { addPatternsOfEveryKind } from "./patterns_of_every_kind.ts";

/** A migrated database of which every kind of data returns: rows, metadata, quarantine, repaired patterns, new ids. */
async function migrated(): Promise<string> {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_A, "CREATE TABLE own (a, b); INSERT INTO own VALUES (1, 2), (3, 4)");
  makeDatabase(
    path,
    `INSERT INTO metrics (user_id, empathy_level, success, metadata)
     VALUES ('a', 1, 1, 'text'), ('b', 9, 1, 'kept'), ('c', 2, 0, NULL), ('d', 3, 1, NULL), ('e', 9, 1, NULL)`,
  );
  addPatternsOfEveryKind(path);
  const options = { invalidRows: "quarantine", nonFinite: "null", patternIds: "assign" } as const;
  expect(await migrate(path, options)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  return path;
}

/** Downgrades, and changes the copy just before the comparison. */
function downgradeWith(path: string, change: string): ReturnType<typeof downgradeMigration> {
  return downgradeMigration(path, { onProgress: changingCopy(`${path}.v16.bak`, change) });
}

test("compares all data with the copy", async () => {
  const path = await migrated();
  expect(await downgradeWith(path, "SELECT 1")).toMatchObject({
    exit_code: 0,
    databases: [{ verification: { method: "rows", rows_before: 5, rows_after: 5, rows_quarantined: 2 } }],
  });
});

test.each([
  ["a row that is missing", "INSERT INTO interactions (id, user_id, level, success) VALUES (99, 'x', 1, 1)"],
  ["a row that did not exist", "DELETE FROM interactions WHERE id = 3"],
  ["a value that is another one", "UPDATE interactions SET user_id = 'x' WHERE id = 3"],
  ["a storage class that is another one", "UPDATE interactions SET timestamp = CAST(timestamp AS BLOB) WHERE id = 3"],
  ["a level that is another one", "UPDATE interactions SET level = 5 WHERE id = 3"],
  ["metadata that is another one", "UPDATE interaction_metadata SET metadata = 'x'"],
  ["metadata that is missing", "INSERT INTO interaction_metadata VALUES (3, 'x')"],
  ["metadata that did not exist", "DELETE FROM interaction_metadata"],
  ["a quarantined value that is another one", "UPDATE perdura_quarantine SET user_id = 'x' WHERE id = 2"],
  ["quarantined metadata that is another one", "UPDATE perdura_quarantine SET metadata = 'x' WHERE id = 2"],
  [
    "a quarantined row that is there twice, instead of another",
    `UPDATE perdura_quarantine SET (id, user_id, response_time_ms, timestamp, metadata) =
     (SELECT id, user_id, response_time_ms, timestamp, metadata FROM perdura_quarantine WHERE id = 2) WHERE id = 5`,
  ],
  ["a row of another table that is another one", "UPDATE own SET b = 5 WHERE a = 1"],
  ["a row of another table that is missing", "INSERT INTO own VALUES (5, 6)"],
  ["a pattern that is another one", "UPDATE patterns SET name = 'x' WHERE id = 'p'"],
  ["another value of a repaired pattern", "UPDATE patterns SET name = 'x' WHERE id = 'repaired'"],
  [
    "an original value that is another one",
    "UPDATE perdura_repaired_values SET original = 'x' WHERE column_name = 'context'",
  ],
  ["an original id that is another one", "UPDATE perdura_repaired_values SET original = 'x' WHERE column_name = 'id'"],
  ["a pattern that returned with another value", "UPDATE perdura_quarantine SET context = 'x' WHERE id = 'left'"],
  ["usage of another pattern", "UPDATE pattern_usage SET pattern_id = 'repaired' WHERE pattern_id = 'p'"],
  ["an object that is missing", "CREATE VIEW lost AS SELECT 1"],
  ["a counter that moved", "UPDATE sqlite_sequence SET seq = 77 WHERE name = 'pattern_usage'"],
])("finds %s", async (_what, change) => {
  const path = await migrated();
  expect(await downgradeWith(path, change)).toMatchObject({
    exit_code: 1,
    databases: [{ status: "failed", reason: expect.stringContaining("The proof failed") }],
  });
  expect(query(path, "SELECT count(*) FROM interactions")).toEqual([[3n]]);
});
