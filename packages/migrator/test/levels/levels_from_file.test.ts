import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { addRows, DOCUMENTED_15, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { downgradeMigration, migrationStatus, planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { schemaErrors } from "../support/report_schema.ts";
import { runProgram } from "../support/run_program.ts";
import { wholeContent } from "../support/whole_content.ts";

const LOSE_LEVELS = ["DROP INDEX idx_user_level", "ALTER TABLE metrics DROP COLUMN empathy_level"];

/** Levels of rows 1 to 10 by `addRows`. */
const GIVEN = Array.from({ length: 10 }, (_, index) => `${index + 1},${((index + 1) % 5) + 1}`);

const levelsOf = (path: string): unknown[] => query(path, "SELECT id, level FROM interactions ORDER BY id").map(String);

/** A database that lost its levels, and a copy from before. */
function lost(...more: string[]): { folder: string; path: string; copy: string } {
  const folder = freshFolder();
  const [path, copy] = [join(folder, "metrics.db"), join(folder, "metrics.db.bak")];
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 10);
  copyFileSync(path, copy);
  makeDatabase(path, ...LOSE_LEVELS, ...more);
  return { folder, path, copy };
}

describe("levels that a copy of the database still has", () => {
  test("are named by plan, used by id, proved, and kept by the downgrade", async () => {
    const { folder, path, copy } = lost();
    const [before, stamp] = [wholeContent(path), stampOf(folder)];
    const plan = await planMigration(path);
    expect(schemaErrors(plan)).toEqual([]);
    expect(plan).toMatchObject({
      exit_code: 3,
      databases: [{ missing_levels: { files: [{ path: copy, rows: 10 }] } }],
    });
    expect(plan.databases[0]?.missing_levels?.choices[0]?.option).toBe(`--missing-level from-file,${copy}`);
    expect(stampOf(folder)).toBe(stamp);
    const report = await migrate(path, { missingLevel: `from-file,${copy}` });
    expect(report).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
    expect(schemaErrors(report)).toEqual([]);
    expect(new Set(report.databases[0]?.assumed_levels.map(({ source }) => source))).toEqual(new Set(["file"]));
    expect(levelsOf(path)).toEqual(GIVEN);
    expect(await migrationStatus(path)).toMatchObject({
      databases: [{ assumed_levels: [{ source: "file" }, {}, {}, {}, {}] }],
    });
    rmSync(copy);
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
    makeDatabase(path, "DROP TABLE perdura_kept_levels");
    expect(wholeContent(path)).toEqual(before);
  });

  test("come back with the next migration, although the copy is gone", async () => {
    const { path, copy } = lost();
    await migrate(path, { missingLevel: `from-file,${copy}` });
    await downgradeMigration(path);
    rmSync(copy);
    expect(await migrate(path)).toMatchObject({ exit_code: 0 });
    expect(levelsOf(path)).toEqual(GIVEN);
  });

  test("of changed rows and of rows added since are not used", async () => {
    const { path, copy } = lost(
      "UPDATE metrics SET user_id = 'another' WHERE id = 3",
      "DELETE FROM metrics WHERE id = 4",
      "INSERT INTO metrics (user_id, success) VALUES ('new', 1)",
    );
    makeDatabase(copy, "UPDATE metrics SET empathy_level = 9 WHERE id = 5");
    expect(await planMigration(path)).toMatchObject({ databases: [{ missing_levels: { files: [{ rows: 7 }] } }] });
    const refused = await migrate(path, { missingLevel: `from-file,${copy}` });
    expect(refused).toMatchObject({
      exit_code: 3,
      databases: [{ reason: expect.stringContaining("has no level for 3 rows of 3 users") }],
    });
    expect(await migrate(path, { missingLevel: `from-file,${copy},2` })).toMatchObject({ exit_code: 0 });
    const expected = GIVEN.filter((row) => !row.startsWith("4,")).map((row) =>
      row.startsWith("3,") || row.startsWith("5,") ? `${row.split(",")[0]},2` : row,
    );
    expect(levelsOf(path)).toEqual([...expected, "11,2"]);
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
  });

  test("are read from a documented table, from WAL mode with a log, and with a comma in the path", async () => {
    const folder = freshFolder();
    const [path, copy] = [join(folder, "metrics.db"), join(folder, "before,3")];
    makeDatabase(path, FIELD_A);
    addRows(path, "metrics", 10);
    const writer = new Database(copy);
    onTestFinished(() => void writer.close());
    writer.pragma("journal_mode = WAL");
    writer.exec(DOCUMENTED_15);
    writer.exec(`ATTACH '${path}' AS old; INSERT INTO interactions (id, user_id, empathy_level, success, response_time_ms, timestamp)
      SELECT id, user_id, empathy_level, success, response_time_ms, timestamp FROM old.metrics; DETACH old`);
    makeDatabase(path, ...LOSE_LEVELS);
    expect(await planMigration(path)).toMatchObject({
      databases: [{ missing_levels: { files: [{ path: copy, rows: 10 }] } }],
    });
    expect(await migrate(path, { missingLevel: `from-file,"${copy}"` })).toMatchObject({ exit_code: 0 });
    expect(levelsOf(path)).toEqual(GIVEN);
  });

  test("are not offered from a copy whose levels were assumed", async () => {
    const { path, copy } = lost();
    rmSync(copy);
    await migrate(path, { missingLevel: 2 });
    await downgradeMigration(path);
    expect(await planMigration(path)).toMatchObject({ exit_code: 3, databases: [{ missing_levels: { files: [] } }] });
  });

  test("the recommended command works as it is printed", async () => {
    const { folder } = lost("INSERT INTO metrics (user_id, success) VALUES ('new', 1)");
    const { stdout } = await runProgram("plan", folder);
    const command = /perdura-migrate (up .*from-file.*)/.exec(stdout)?.[1] ?? "";
    expect(command).toContain("from-file,");
    expect(command).toContain(",1");
    expect(await runProgram(...command.split(" "), "--yes")).toMatchObject({ code: 0 });
  });
});

test.each([
  [
    "a file without levels",
    (path: string) => makeDatabase(path, "CREATE TABLE t (x)"),
    "has no table with the columns",
  ],
  ["a file that is not a database", (path: string) => writeFileSync(path, "text"), "not an SQLite database"],
])("refuses %s, and changes nothing", async (_what, make, words) => {
  const { folder, path } = lost();
  const other = join(folder, "other");
  make(other);
  const stamp = stampOf(folder);
  expect(await migrate(path, { missingLevel: `from-file,${other}` })).toMatchObject({
    exit_code: 3,
    databases: [{ status: "refused", reason: expect.stringContaining(words) }],
  });
  expect(stampOf(folder)).toBe(stamp);
});

test("refuses a path that is not a file", async () => {
  const { folder, path } = lost();
  mkdirSync(join(folder, "directory"));
  for (const other of ["directory", "missing"])
    await expect(migrate(path, { missingLevel: `from-file,${join(folder, other)}` })).rejects.toMatchObject({
      code: "PERDURA_VALIDATION",
      argument: "missingLevel",
    });
});
