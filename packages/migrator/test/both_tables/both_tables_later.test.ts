import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type MigrationOptions, planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { isMerged, rotated, TABLES_WITH_ALL_COLUMNS, useLayout } from "../layouts/layout_suite.ts";
import { DOCUMENTED_15_WITH_NOTE, fill, insertion, oldTable, type OldTable, spelled } from "../layouts/old_table.ts";
import { addRows, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

/** Tables whose rows are merged. */
const MERGED = TABLES_WITH_ALL_COLUMNS.filter(isMerged);

/** @param statements In the names of field layout A. */
function laidOut(old: OldTable, ...statements: string[]): string {
  useLayout(old);
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, DOCUMENTED_15_WITH_NOTE, old.create, ...statements.map((sql) => spelled(old, sql)));
  addRows(path, "interactions", 6);
  makeDatabase(path, "UPDATE interactions SET my_note = 'note ' || id");
  fill(path, old, 4);
  return path;
}

/** The layout of programs that wrote no levels to a table. */
function withoutLevels({ layout, names }: OldTable): OldTable {
  return oldTable({ ...layout, columns: { ...layout.columns, level: null }, without: [names.level as string] });
}

test.each(MERGED)("a pre-16 program may create $table repeatedly; each up merges its rows", async (old) => {
  const path = join(freshFolder(), "m.db");
  const options: MigrationOptions = { fence: "none", missingLevel: 2 };
  const later = withoutLevels(old);
  useLayout(old);
  useLayout(later);
  for (const round of [1, 2, 3]) {
    const made = round === 3 ? later : old;
    makeDatabase(
      path,
      made.create,
      insertion(made, 1, { user_id: "'a'", level: "4", success: "1", metadata: `'text ${round}'` }),
      insertion(made, 2, { user_id: "'b'", level: "5", success: "0" }),
    );
    expect(await migrate(path, options)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
    expect(await migrate(path, options)).toMatchObject({ databases: [{ status: "nothing_to_do" }] });
  }
  expect(
    query(
      path,
      "SELECT id, user_id, level, metadata FROM interactions LEFT JOIN interaction_metadata ON interaction_id = id ORDER BY id",
    ),
  ).toEqual([
    [1n, "a", 4n, "text 1"],
    [2n, "b", 5n, null],
    [3n, "a", 4n, "text 2"],
    [4n, "b", 5n, null],
    [5n, "a", 2n, "text 3"],
    [6n, "b", 2n, null],
  ]);
  expect(query(path, "SELECT number, id_offset, rows FROM perdura_merged_rows ORDER BY number")).toEqual([
    [2n, 2n, 2n],
    [3n, 4n, 2n],
  ]);
  expect(query(path, "SELECT number, first_id, last_id, level, source FROM perdura_assumed_levels")).toEqual([
    [3n, 5n, 6n, 2n, "option"],
  ]);
});

describe("verify finds a difference in either table", () => {
  const CHANGES: [what: string, sql: string, words: string][] = [
    [
      "a row of interactions changed",
      "UPDATE interactions SET success = 7 WHERE id = 2",
      "1 row of interactions differs from the original",
    ],
    ["a row of metrics changed", "UPDATE interactions SET user_id = 'X' WHERE id = 8", "in the table metrics"],
    [
      "another storage class",
      "UPDATE interactions SET response_time_ms = CAST('1e0' AS TEXT) || 'x' WHERE id = 9",
      "in the table metrics",
    ],
    [
      "a row of metrics gone",
      "DELETE FROM interactions WHERE id = 10",
      "4 rows before in the table metrics, 3 and 0 in quarantine after",
    ],
    [
      "metadata of metrics changed",
      "UPDATE interaction_metadata SET metadata = metadata || ' '",
      "the metadata of 1 row differs",
    ],
    ["metadata of metrics gone", "DELETE FROM interaction_metadata", "1 row with metadata before, 0 after"],
  ];

  test.each(rotated(CHANGES, MERGED))("%s", async (_what, sql, words, old) => {
    const path = laidOut(old);
    expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ merged: { id_offset: 6 } }] });
    makeDatabase(path, "INSERT INTO interactions (user_id, level, success) VALUES ('later', 1, 1)");
    expect(await verifyMigration(path)).toMatchObject({
      exit_code: 0,
      databases: [{ verification: { rows_before: 10, rows_after: 10, rows_added_since: 1 } }],
    });
    makeDatabase(path, sql);
    const { exit_code, databases } = await verifyMigration(path);
    expect(exit_code).toBe(4);
    expect(databases[0]?.verification?.differences.join()).toContain(words.replace("metrics", old.table));
  });
});

describe("names values that would be lost or changed, and changes nothing", () => {
  const CHANGES: [what: string, sql: string, words: string][] = [
    ["a column that interactions lacks", "ALTER TABLE metrics ADD COLUMN team TEXT", "column team"],
    [
      "a column of another type",
      "ALTER TABLE metrics DROP COLUMN response_time_ms; ALTER TABLE metrics ADD COLUMN response_time_ms INTEGER",
      "column response_time_ms",
    ],
    ["rows that refer to it", "CREATE TABLE notes (id REFERENCES metrics(id))", "table notes refers"],
    ["a view of it", "CREATE VIEW mine AS SELECT user_id FROM metrics", "the view mine"],
    [
      "a trigger that writes to it",
      "CREATE TABLE box (a); CREATE TRIGGER mine AFTER INSERT ON box BEGIN DELETE FROM metrics WHERE id = NEW.a; END",
      "trigger mine",
    ],
    ["a full-text index over it", "CREATE VIRTUAL TABLE words USING fts5(user_id, content='metrics')", "table words"],
    ["a table of a needed name", "CREATE TABLE perdura_merged_rows (mine)", "perdura_merged_rows"],
  ];

  test.each(rotated(CHANGES, MERGED))("%s", async (_what, sql, words, old) => {
    const path = laidOut(old, sql);
    const before = stampOf(join(path, ".."));
    for (const command of [planMigration, migrate]) {
      expect(await command(path)).toMatchObject({
        exit_code: 3,
        databases: [{ status: "refused", layout: "both", reason: expect.stringContaining(spelled(old, words)) }],
      });
      expect(stampOf(join(path, ".."))).toBe(before);
    }
  });
});

test.each(MERGED)(
  "names objects dropped with $table, and counts users whose newest row has a lower id",
  async (old) => {
    const path = laidOut(
      old,
      "CREATE INDEX my_index ON metrics(success); CREATE TRIGGER my_trigger AFTER INSERT ON metrics BEGIN SELECT 1; END",
    );
    makeDatabase(
      path,
      "UPDATE interactions SET timestamp = '2025-10-20 13:00:00' WHERE id = 3",
      spelled(old, "UPDATE metrics SET timestamp = '2025-10-20 14:00:00' WHERE id = 2"),
    );
    const { databases } = await migrate(path);
    expect(databases[0]?.notes).toEqual([
      expect.stringContaining("additional columns of the table (my_note)"),
      expect.stringContaining("the index my_index, the trigger my_trigger"),
      expect.stringMatching(/^2 rows are in both tables/),
      expect.stringMatching(/^the newest interaction of 1 user is in interactions/),
    ]);
  },
);
