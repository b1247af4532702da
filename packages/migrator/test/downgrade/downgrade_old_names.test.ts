import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, FIELD_A, FIELD_B, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

/** A migrated database of field layout A, changed afterwards. */
async function after(since: string): Promise<string> {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 12);
  await migrate(path);
  makeDatabase(path, since);
  return path;
}

test("the advice about a conflicting table works", async () => {
  const own = await after("DROP VIEW metrics; CREATE TABLE metrics (cpu REAL); ALTER TABLE metrics RENAME TO mine");
  expect(await downgradeMigration(own)).toMatchObject({ exit_code: 0 });
  const old = await after(`DROP VIEW metrics; ${FIELD_A}`);
  expect(await migrate(old)).toMatchObject({ exit_code: 0 });
  expect(await downgradeMigration(old)).toMatchObject({ exit_code: 0 });
});

test("has no note on the fence, which is dropped", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_B, "CREATE VIEW mine AS SELECT * FROM metrics");
  makeDatabase(path, "INSERT INTO metrics (user_id, success) VALUES ('a', 1)");
  expect(await migrate(path, { missingLevel: 4 })).toMatchObject({ exit_code: 0 });
  const { databases } = await downgradeMigration(path);
  expect(databases).toMatchObject([{ status: "downgraded" }]);
  expect(databases[0]?.notes.filter((note) => note.includes("view metrics "))).toEqual([]);
  expect(databases[0]?.notes.filter((note) => note.includes("columns of your view mine "))).toHaveLength(1);
});
