import { linkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import Database from "better-sqlite3";
import { expect, it, vi } from "vitest";
import { isOpenInProcess, rememberConnection } from "../src/sqlite/open_files.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";

const folder = freshFolder();
const path = join(folder, "x.db");

function connect(): Database.Database {
  const database = new Database(path);
  database.exec("CREATE TABLE IF NOT EXISTS t (a)");
  rememberConnection(database, path);
  return database;
}

it("a file is open until the last connection is closed", () => {
  const [first, second] = [connect(), connect()];
  first.close();
  first.close();
  expect(isOpenInProcess(path)).toBe(true);
  second.close();
  expect(isOpenInProcess(path)).toBe(false);
  expect(isOpenInProcess(join(folder, "missing.db"))).toBe(false);
});

it("another file is not open, and a link to an open file is", () => {
  const database = connect();
  writeFileSync(join(folder, "other.db"), "");
  linkSync(path, join(folder, "link.db"));
  symlinkSync(path, join(folder, "symlink.db"));
  expect(["other.db", "link.db", "symlink.db"].map((name) => isOpenInProcess(join(folder, name)))).toEqual([
    false,
    true,
    true,
  ]);
  database.close();
});

it("a file counts as closed after a connection was garbage-collected", async () => {
  connect();
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  await vi.waitUntil(() => {
    collect();
    return !isOpenInProcess(path);
  });
});
