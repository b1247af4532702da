import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Driver from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { copyContent } from "../../src/sqlite/copy_content.ts";
import { type Database, openDatabase } from "../../src/sqlite/open_database.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

function databaseOf(rows: number, pageSize: number = 4096): string {
  const path = join(freshFolder(), "x.db");
  const database = new Driver(path);
  database.exec(`PRAGMA page_size = ${pageSize}; CREATE TABLE t (x)`);
  for (let row = 0; row < rows; row += 1) database.exec("INSERT INTO t VALUES (1)");
  database.close();
  return path;
}

function open(path: string): Database {
  const database = openDatabase(path, { intent: "read", busyTimeoutMs: 0 });
  onTestFinished(() => void database.close());
  return database;
}

/** Holds a lock on a database until the test ends. */
function hold(path: string, begin: string): void {
  const holder = new Driver(path);
  onTestFinished(() => void holder.close());
  holder.exec(begin);
}

const rowsIn = (path: string): unknown => open(path).prepare("SELECT count(*) FROM t").pluck().get();

test.each(["BEGIN IMMEDIATE", "BEGIN; SELECT * FROM t"])("reports a target that is held by %s", async (begin) => {
  const [from, to] = [databaseOf(3), databaseOf(1)];
  hold(to, begin);
  const copied = copyContent(open(from), to, { busyTimeoutMs: 0, shownAs: "mine.db" });
  await expect(copied).rejects.toMatchObject({ code: "PERDURA_BUSY", path: "mine.db" });
  expect(rowsIn(to)).toBe(1);
});

test("reports a source that another connection has locked since it was opened", async () => {
  const [from, to] = [databaseOf(3), join(freshFolder(), "copy.db")];
  writeFileSync(to, "");
  const source = open(from);
  hold(from, "BEGIN EXCLUSIVE");
  await expect(copyContent(source, to, { busyTimeoutMs: 0 })).rejects.toMatchObject({
    code: "PERDURA_BUSY",
    path: from,
  });
  expect(source.inTransaction).toBe(false);
});

test("copies into a database in WAL mode with another page size", async () => {
  const [from, to] = [databaseOf(3, 1024), databaseOf(1)];
  new Driver(to).pragma("journal_mode = WAL");
  await copyContent(open(from), to);
  expect(rowsIn(to)).toBe(3);
});

test("keeps the snapshot of the connection's own read transaction", async () => {
  const [from, to] = [databaseOf(3), databaseOf(1)];
  const source = open(from);
  source.exec("BEGIN");
  await copyContent(source, to);
  expect(source.inTransaction).toBe(true);
  expect(rowsIn(to)).toBe(3);
});

test("copies a database without any table, which has no pages", async () => {
  const folder = freshFolder();
  const [from, to] = ["empty.db", "copy.db"].map((name) => join(folder, name)) as [string, string];
  for (const path of [from, to]) writeFileSync(path, "");
  await copyContent(open(from), to, { busyTimeoutMs: 0 });
  expect(open(to).prepare("SELECT count(*) FROM sqlite_schema").pluck().get()).toBe(0);
});
