import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DOCUMENTED_15, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
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

test("a refused file without a known table names all of them", async () => {
  onTestFinished(addLayout(LAYOUT));
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, CREATE, ROWS, 'ALTER TABLE "group" RENAME TO former');
  const { databases } = await migrate(path);
  expect(databases[0]?.reason).toContain("there is no table interactions or metrics or group");
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

test("rows of such a table are merged into interactions, and return", async () => {
  onTestFinished(addLayout(LAYOUT));
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, CREATE, ROWS, `${DOCUMENTED_15} INSERT INTO interactions VALUES (1, 'd', 3, 1, 1.5, NULL)`);
  const before = wholeContent(path);
  expect(await migrate(path, { invalidRows: "quarantine" })).toMatchObject({
    exit_code: 0,
    databases: [{ layout: "both", verification: { rows_after: 3, rows_quarantined: 1, metadata_rows: 2 } }],
  });
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
  expect(await downgradeMigration(path, { backup: false })).toMatchObject({ exit_code: 0 });
  expect(wholeContent(path)).toEqual(before);
});

test("missing levels come from a table of such names, whose other rows a printed statement adds", async () => {
  const { columns, ...layout } = LAYOUT;
  onTestFinished(addLayout({ ...layout, columns: { ...columns, level: null }, without: ["select"] }));
  onTestFinished(addLayout({ ...LAYOUT, table: "gr oup" }));
  const path = join(freshFolder(), "m.db");
  const former = 'ALTER TABLE "group" RENAME TO "a ""former"" Group"';
  const later = [
    CREATE.replace('"select" INTEGER NOT NULL,', ""),
    ROWS.replace('"select", ', "").replaceAll(/(\('.'), \d/g, "$1"),
  ];
  makeDatabase(path, CREATE, ROWS, former, ...later, 'DELETE FROM "group" WHERE id = 3');
  const missingLevel = 'from-table,a "former" Group' as const;
  const { databases } = await migrate(path, { missingLevel });
  expect(databases).toMatchObject([{ status: "migrated" }]);
  expect(query(path, "SELECT id, level FROM interactions ORDER BY id")).toEqual([
    [1n, 1n],
    [2n, 2n],
  ]);
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
  expect(await downgradeMigration(path, { backup: false })).toMatchObject({ exit_code: 0 });
  const note = databases[0]?.notes.find((text) => text.includes("run this statement first"));
  makeDatabase(path, /INSERT INTO .*;/.exec(note ?? "")?.[0] as string);
  expect(query(path, 'SELECT id, "order" FROM "group" WHERE id = 3')).toEqual([[3n, "c"]]);
});
