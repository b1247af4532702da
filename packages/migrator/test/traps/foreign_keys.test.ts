import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import { downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { isMerged, layoutSuite } from "../layouts/layout_suite.ts";
import { DOCUMENTED_15_WITH_NOTE, insertion, optionsFor, VALID_ROWS } from "../layouts/old_table.ts";
import { freshFolder } from "../support/folder.ts";
import { makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

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

layoutSuite((old) => {
  const [row = {}] = VALID_ROWS;
  const notes = `CREATE TABLE notes (of REFERENCES ${old.table}(id) ON DELETE CASCADE); INSERT INTO notes VALUES (1), (2)`;

  test("refuses to quarantine a referenced row", async () => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(
      path,
      old.create,
      insertion(old, 1, row),
      insertion(old, 2, { ...row, response_time_ms: "'slow'" }),
      notes,
    );
    expect(await migrate(path, { ...optionsFor(old), invalidRows: "quarantine" })).toMatchObject({
      exit_code: 3,
      databases: [{ status: "refused", reason: expect.stringContaining("notes") }],
    });
    expect(query(path, "SELECT of FROM notes")).toEqual([[1n], [2n]]);
  });

  test.runIf(isMerged(old))("keeps references to a table that is merged into another one", async () => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(
      path,
      DOCUMENTED_15_WITH_NOTE,
      old.create,
      "INSERT INTO interactions (user_id, empathy_level, success) VALUES ('a', 3, 1)",
      ...["'b'", "'c'"].map((user, index) => insertion(old, index + 1, { ...row, user_id: user })),
      notes,
    );
    const report = await migrate(path, optionsFor(old));
    // Either refused by name, or the references lead to the same rows under their new ids; no note may be lost.
    expect(query(path, "SELECT count(*) FROM notes")).toEqual([[2n]]);
    if (report.exit_code === 3) expect(report.databases[0]?.reason).toContain("notes");
    else
      expect(query(path, "SELECT i.user_id FROM notes JOIN interactions AS i ON i.id = of ORDER BY 1")).toEqual([
        ["b"],
        ["c"],
      ]);
  });
});
