import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import { migrate, downgradeMigration } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { DOCUMENTED_15, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

// The driver enables foreign keys, so that dropping or rebuilding a table deletes rows that reference it.

const CHILDREN = ["my_reviews", "my_replies", "my_pins"];
const counts = (path: string): unknown[] => CHILDREN.map((table) => query(path, `SELECT count(*) FROM ${table}`));

describe.each(["documented-15", "field-a", "field-b"])("references to rows of %s", (layout) => {
  test("are kept by up and down", async () => {
    const path = join(freshFolder(), "m.db");
    copyFileSync(fixture("legacy", `${layout}-foreign-keys.db`), path);
    const before = counts(path);
    expect(await migrate(path, { missingLevel: 3 })).toMatchObject({ exit_code: 0 });
    expect(counts(path)).toEqual(before);
    expect(query(path, `SELECT "table" FROM pragma_foreign_key_list('my_pins')`)).toEqual([["interactions"]]);
    expect(query(path, "PRAGMA foreign_key_check(my_reviews)")).toEqual([]);
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
    expect(counts(path)).toEqual(before);
    expect(query(path, "PRAGMA foreign_key_check(my_reviews)")).toEqual([]);
  });
});

test.each([
  ["interactions", DOCUMENTED_15],
  ["metrics", FIELD_A],
])("refuses to quarantine a referenced row of %s", async (table, schema) => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    schema,
    `INSERT INTO ${table} (user_id, empathy_level, success) VALUES ('a', 3, 1), ('b', 9, 1);
     CREATE TABLE notes (of REFERENCES ${table}(id) ON DELETE CASCADE); INSERT INTO notes VALUES (1), (2)`,
  );
  expect(await migrate(path, { invalidRows: "quarantine" })).toMatchObject({
    exit_code: 3,
    databases: [{ status: "refused", reason: expect.stringContaining("notes") }],
  });
  expect(query(path, "SELECT of FROM notes")).toEqual([[1n], [2n]]);
});

test("keeps references to a table that is merged into another one", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    DOCUMENTED_15,
    FIELD_A,
    `INSERT INTO interactions (user_id, empathy_level, success) VALUES ('a', 3, 1);
     INSERT INTO metrics (user_id, empathy_level, success) VALUES ('b', 2, 1), ('c', 4, 1);
     CREATE TABLE notes (of REFERENCES metrics(id) ON DELETE CASCADE); INSERT INTO notes VALUES (1), (2)`,
  );
  const report = await migrate(path);
  // Either refused by name, or the references lead to the same rows under their new ids; no note may be lost.
  expect(query(path, "SELECT count(*) FROM notes")).toEqual([[2n]]);
  if (report.exit_code === 3) expect(report.databases[0]?.reason).toContain("notes");
  else
    expect(query(path, "SELECT i.user_id FROM notes JOIN interactions AS i ON i.id = of ORDER BY 1")).toEqual([
      ["b"],
      ["c"],
    ]);
});
