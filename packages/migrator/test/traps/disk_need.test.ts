import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { MigrationOptions } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { ALL_TABLES, isMerged, rotated, useLayout } from "../layouts/layout_suite.ts";
import { DOCUMENTED_15_WITH_NOTE, fill, type OldTable, optionsFor, spelled } from "../layouts/old_table.ts";
import { addRows, DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

/** Size of the files of a directory. */
function bytesIn(folder: string): number {
  return readdirSync(folder)
    .map((name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, bytes) => sum + bytes, 0);
}

/** Enough rows that the margin for a small database does not matter. */
const ROWS = 20_000;

const BULKY = "UPDATE metrics SET metadata = '{\"text\": \"' || hex(zeroblob(150)) || '\"}'";

type Case = [what: string, options: MigrationOptions, schema: string, changes: string];

test.each([
  ...rotated<Case>([
    ["rows", {}, "", ""],
    ["rows of another layout", {}, "", ""],
    ["bulky rows", {}, "", BULKY],
    ["bulky rows, rehearsed", { rehearse: true }, "", BULKY],
    ["bulky rows of another layout", {}, "", BULKY],
  ]),
  ...rotated<Case>(
    [
      ["two tables", {}, DOCUMENTED_15_WITH_NOTE, BULKY],
      ["two tables in WAL mode", {}, `PRAGMA journal_mode = WAL; ${DOCUMENTED_15_WITH_NOTE}`, BULKY],
    ],
    ALL_TABLES.filter(isMerged),
  ),
])("plan requires as much disk space as up uses: %s", async (_what, options, schema, changes, old) => {
  useLayout(old);
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, schema, old.create);
  fillMany(path, old);
  if (schema !== "") addRows(path, "interactions", ROWS);
  makeDatabase(path, spelled(old, changes));
  await expectEnough(path, { ...options, ...optionsFor(old) });
});

test("plan requires as much disk space as up uses: the documented layout without its indexes", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, DOCUMENTED_15.split(";")[0] as string);
  addRows(path, "interactions", ROWS);
  await expectEnough(path, { saveReport: false });
});

/** Adds {@link ROWS} rows. */
function fillMany(path: string, old: OldTable): void {
  const columns = Object.values(old.names).join(", ");
  fill(path, old, 200);
  makeDatabase(
    path,
    `WITH RECURSIVE n(x) AS (SELECT 2 UNION ALL SELECT x + 1 FROM n WHERE x < ${ROWS / 200})
     INSERT INTO ${old.table} (${columns}) SELECT ${columns} FROM n, ${old.table}`,
  );
}

async function expectEnough(path: string, options: MigrationOptions): Promise<void> {
  makeDatabase(path, "VACUUM");
  const folder = join(path, "..");
  const before = bytesIn(folder);
  let most = 0;
  const onProgress = (): void => {
    most = Math.max(most, bytesIn(folder) - before);
  };
  const report = await migrate(path, { ...options, onProgress });
  expect(report.exit_code).toBe(0);
  onProgress();
  expect(most).toBeGreaterThan(0);
  expect(report.databases[0]?.disk?.needed_bytes).toBeGreaterThanOrEqual(most);
}
