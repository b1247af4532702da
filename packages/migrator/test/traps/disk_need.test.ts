import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { MigrationOptions } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, connect, DOCUMENTED_15, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

/** Size of the files of a directory. */
function bytesIn(folder: string): number {
  return readdirSync(folder)
    .map((name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, bytes) => sum + bytes, 0);
}

const FIELD_B = FIELD_A.replace(/ +empathy_level.*\n/, "").replace(", empathy_level)", ")");

const BULKY = "UPDATE metrics SET metadata = '{\"text\": \"' || hex(zeroblob(150)) || '\"}'";

test.each<[what: string, options: MigrationOptions, statements: string[]]>([
  ["the documented layout", {}, [DOCUMENTED_15]],
  ["the documented layout without its indexes", {}, [DOCUMENTED_15.split(";")[0] as string]],
  ["field A", {}, [FIELD_A]],
  ["field A with much metadata", {}, [FIELD_A, BULKY]],
  ["field A, rehearsed", { rehearse: true }, [FIELD_A, BULKY]],
  ["field B", { missingLevel: 2 }, [FIELD_B, BULKY]],
  ["two tables", {}, [DOCUMENTED_15, FIELD_A, BULKY]],
  ["two tables in WAL mode", {}, ["PRAGMA journal_mode = WAL", DOCUMENTED_15, FIELD_A, BULKY]],
])("plan requires as much disk space as up uses: %s", async (_what, options, statements) => {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  const [schemas, changes] = [
    statements.filter((statement) => statement !== BULKY),
    statements.filter((statement) => statement === BULKY),
  ];
  makeDatabase(path, ...schemas);
  fill(path);
  makeDatabase(path, ...changes, "VACUUM");
  const before = bytesIn(folder);
  let most = 0;
  const onProgress = (): void => {
    most = Math.max(most, bytesIn(folder) - before);
  };
  const report = await migrate(path, { ...options, onProgress, saveReport: false });
  expect(report.exit_code).toBe(0);
  onProgress();
  expect(most).toBeGreaterThan(0);
  expect(report.databases[0]?.disk?.needed_bytes).toBeGreaterThanOrEqual(most);
});

/** Inserts enough rows that the margin for a small database does not matter. */
function fill(path: string): void {
  const database = connect(path);
  const columns = database
    .prepare(
      "SELECT m.name, c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c WHERE m.name IN ('metrics', 'interactions')",
    )
    .raw()
    .all() as [string, string][];
  database.close();
  for (const table of new Set(columns.map(([name]) => name))) {
    if (columns.some(([name, column]) => name === table && column === "empathy_level"))
      addRows(path, table as "metrics", 20_000);
    else
      makeDatabase(
        path,
        "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000) INSERT INTO metrics (user_id, success, response_time_ms) SELECT 'u' || n % 3, 1, n FROM numbers",
      );
  }
}
