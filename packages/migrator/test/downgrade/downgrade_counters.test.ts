import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { METRICS } from "../../src/database/layouts/table_layouts.ts";
import { connect, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { ALL_TABLES, hasLevels, rotated, useLayout } from "../layouts/layout_suite.ts";
import { fill, oldTable, type OldTable, optionsFor } from "../layouts/old_table.ts";
import { wholeContent } from "../support/whole_content.ts";

const COUNTERS = "SELECT name, typeof(seq), hex(seq) FROM sqlite_sequence ORDER BY rowid";

function made(old: OldTable, since: string): string {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, old.create);
  fill(path, old, 12);
  execute(path, since);
  return path;
}

function execute(path: string, sql: string): void {
  const database = connect(path);
  database.exec(sql);
  database.close();
}

const COUNTER_CASES = [
  ["below the highest id", "UPDATE sqlite_sequence SET seq = 1"],
  ["a text", "UPDATE sqlite_sequence SET seq = 'abc'"],
  ["a text of digits", "UPDATE sqlite_sequence SET seq = '3'"],
  ["a text with odd bytes", "UPDATE sqlite_sequence SET seq = CAST(x'27ff0041' AS TEXT)"],
  ["a fraction", "UPDATE sqlite_sequence SET seq = 1.5"],
  ["beyond 2^53", "UPDATE sqlite_sequence SET seq = 9007199254740993"],
  ["nothing", "UPDATE sqlite_sequence SET seq = NULL"],
  ["a blob", "UPDATE sqlite_sequence SET seq = x'00'"],
  ["there twice", "INSERT INTO sqlite_sequence SELECT name, 40 FROM sqlite_sequence"],
  ["not there", "DELETE FROM sqlite_sequence"],
] as const;

// Two layouts for each: the counter of a table that is renamed, and of one that is not, are different subjects.
test.each(rotated([...COUNTER_CASES, ...COUNTER_CASES.toReversed()]))(
  "restores a counter exactly that is %s",
  async (_title, since, old) => {
    useLayout(old);
    const path = made(old, since);
    const before = { content: wholeContent(path), counters: query(path, COUNTERS) };
    expect(await migrate(path, optionsFor(old))).toMatchObject({ exit_code: 0 });
    expect(await downgradeMigration(path, { dryRun: true })).toMatchObject({ exit_code: 0 });
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "downgraded" }] });
    expect({ content: wholeContent(path), counters: query(path, COUNTERS) }).toEqual(before);
  },
);

test.each(
  rotated(
    [["UPDATE sqlite_sequence SET seq = 1"], ["UPDATE sqlite_sequence SET seq = 'abc'"]] as const,
    ALL_TABLES.filter(hasLevels),
  ),
)("assigns no id twice after %s and new rows", async (since, old) => {
  useLayout(old);
  const path = made(old, since);
  await migrate(path, optionsFor(old));
  execute(path, "INSERT INTO interactions (user_id, level, success) VALUES ('new', 5, 1)");
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(query(path, "SELECT name, seq FROM sqlite_sequence")).toEqual([[old.table, 13n]]);
});

test("does not run a changed counter record as SQL", async () => {
  const path = made(oldTable(METRICS), "");
  await migrate(path);
  execute(path, `UPDATE perdura_migration SET former = json_set(former, '$.sequence[0].seq', '(SELECT 1)')`);
  expect(await downgradeMigration(path)).toMatchObject({
    exit_code: 1,
    databases: [{ status: "failed", reason: expect.stringMatching(/^The table perdura_migration, .* is damaged/) }],
  });
});

test("migrates and downgrades a database in WAL mode with a backup directory", async () => {
  const path = made(oldTable(METRICS), "PRAGMA journal_mode = WAL");
  const backupDir = freshFolder();
  const before = wholeContent(path);
  const reader = connect(path);
  reader.prepare("SELECT count(*) FROM metrics").get();
  await migrate(path, { backupDir });
  execute(path, "UPDATE interactions SET success = success");
  expect(await downgradeMigration(path, { backupDir })).toMatchObject({
    exit_code: 0,
    databases: [{ status: "downgraded", backup: { path: expect.stringContaining(backupDir), kept: true } }],
  });
  expect(wholeContent(path)).toEqual(before);
  expect(query(path, "PRAGMA journal_mode")).toEqual([["wal"]]);
  reader.close();
});
