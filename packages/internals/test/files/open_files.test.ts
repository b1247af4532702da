import { linkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { isOpenInProcess } from "../../src/files/open_files.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { ON_POSIX } from "../../../../test/needs.ts";

/** A database that is open through one of several copies of SQLite, and its path. */
function opened<Connection>(open: (path: string) => Connection): { path: string; connection: Connection } {
  const path = join(freshFolder(), "x.db");
  return { path, connection: open(path) };
}

it("a file is open until the last connection is closed", ON_POSIX, () => {
  const { path, connection } = opened((at) => new Database(at));
  const second = new Database(path);
  connection.close();
  connection.close();
  expect(isOpenInProcess(path)).toBe(true);
  second.close();
  expect(isOpenInProcess(path)).toBe(false);
  expect(isOpenInProcess(`${path}.missing`)).toBe(false);
});

it("another file is not open, and a link to an open file is", ON_POSIX, () => {
  const { path, connection } = opened((at) => new Database(at));
  const folder = join(path, "..");
  writeFileSync(join(folder, "other.db"), "");
  linkSync(path, join(folder, "link.db"));
  symlinkSync(path, join(folder, "symlink.db"));
  expect(["other.db", "link.db", "symlink.db"].map((name) => isOpenInProcess(join(folder, name)))).toEqual([
    false,
    true,
    true,
  ]);
  connection.close();
});

it("a file counts as open that another SQLite or another thread has open", ON_POSIX, async () => {
  const { path, connection } = opened((at) => new DatabaseSync(at));
  expect(isOpenInProcess(path)).toBe(true);
  connection.close();
  expect(isOpenInProcess(path)).toBe(false);
  const worker = new Worker(
    `const { parentPort, workerData } = require("node:worker_threads"); require("node:fs").openSync(workerData, "r"); parentPort.postMessage("open"); parentPort.on("message", () => {});`,
    { eval: true, workerData: path },
  );
  await new Promise((resolve) => worker.once("message", resolve));
  expect(isOpenInProcess(path)).toBe(true);
  await worker.terminate();
});
