import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import type { TableLayout } from "../../src/database/layouts/table_layouts.ts";
import { downgradeMigration, verifyMigration } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { migrate } from "../support/migrate.ts";
import { wholeContent } from "../support/whole_content.ts";
import { addLayout } from "./made_up_layouts.ts";

/** A layout with names that SQLite reads only in quotes. */
const LAYOUT: TableLayout = {
  table: "group",
  columns: {
    user_id: "order",
    level: "select",
    success: "values",
    response_time_ms: "my ms",
    timestamp: "when",
    metadata: "my metadata",
  },
  programs: {
    table: "group",
    columns: ["id", "order", "select", "values", "my ms", "when", "my metadata"],
    rebuilt: "my group",
    indexes: { "my index": "order" },
  },
};

const CREATE = `CREATE TABLE "group" (id INTEGER PRIMARY KEY AUTOINCREMENT, "order" TEXT NOT NULL, "select" INTEGER NOT NULL,
    "values" BOOLEAN NOT NULL, "my ms" REAL, "when" TIMESTAMP DEFAULT CURRENT_TIMESTAMP, "my metadata" TEXT)`;
const ROWS = `INSERT INTO "group" ("order", "select", "values", "my metadata") VALUES ('a', 1, 1, '{}'), ('b', 2, 0, NULL), ('c', 9, 1, '')`;

test("a layout may have names that need quotes", async () => {
  onTestFinished(addLayout(LAYOUT));
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, CREATE, 'CREATE INDEX "my index" ON "group"("order")', ROWS);
  const before = wholeContent(path);
  expect(await migrate(path, { invalidRows: "quarantine" })).toMatchObject({ exit_code: 0 });
  expect(query(path, "SELECT user_id, level, success FROM interactions")).toEqual([
    ["a", 1n, 1n],
    ["b", 2n, 0n],
  ]);
  expect(() => makeDatabase(path, 'SELECT * FROM "group"')).toThrow("the table group is now interactions");
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(wholeContent(path)).toEqual(before);
});

test.each([
  ["a missing column", 'ALTER TABLE "group" DROP COLUMN "my ms"', /ALTER TABLE .* ADD COLUMN .*?;/],
  ["a column of a similar name", 'ALTER TABLE "group" RENAME COLUMN "when" TO "w""hen"', /ALTER TABLE .*?;/],
  ["levels in a column level", 'ALTER TABLE "group" RENAME COLUMN "select" TO level', /ALTER TABLE .*?;/],
  ["a generated column level", 'ALTER TABLE "group" ADD COLUMN level INTEGER AS ("select")', /ALTER TABLE .*?;/],
  ["a renamed table", 'ALTER TABLE "group" RENAME TO "old ""group"""', /ALTER TABLE .* RENAME TO .*?(?=, then)/],
])("statements for %s quote its names", async (_what, change, statement) => {
  onTestFinished(addLayout(LAYOUT));
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, CREATE, ROWS, change);
  const { databases } = await migrate(path);
  expect(databases).toMatchObject([{ status: "refused" }]);
  makeDatabase(path, statement.exec(databases[0]?.reason ?? "")?.[0] as string);
  expect(await migrate(path, { invalidRows: "quarantine" })).toMatchObject({ exit_code: 0 });
});

test("the rows of a table that an interrupted upgrade left are counted", async () => {
  onTestFinished(addLayout(LAYOUT));
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, CREATE, ROWS, CREATE.replace("group", "my group"), ROWS.replace("group", "my group"));
  const { databases } = await migrate(path, { invalidRows: "quarantine" });
  expect(databases).toMatchObject([{ status: "migrated" }]);
  expect(databases[0]?.notes).toContainEqual(expect.stringContaining("group has all of its rows"));
});

test("a layout without levels says how a table differs from it", async () => {
  onTestFinished(addLayout({ table: "group", columns: { user_id: "order", level: null } }));
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, 'CREATE TABLE "group" (id INT PRIMARY KEY, "order" TEXT, success, response_time_ms, timestamp)');
  const { databases } = await migrate(path);
  expect(databases).toMatchObject([{ status: "refused", reason: expect.stringContaining("id is declared INT") }]);
});
