import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { checkFile } from "../../src/judge_file/check_file.ts";
import { metricsDatabase, writeDatabase } from "./hand_made.ts";

/** A program that records without a pause, and opens the database for each row if asked to. */
const PROGRAM = `
  const Database = require(${JSON.stringify(import.meta.resolve("better-sqlite3")).replace("file://", "")});
  const [path, isOpenedEachTime] = [process.argv[1], process.argv[2] === "each"];
  // The database stays small: no machine copies a growing one as fast as a program without a pause writes it.
  const RECORD = "REPLACE INTO interactions (id, user_id, level, success) VALUES (? % 500, 'bob', 2, 1)";
  let database = new Database(path, { timeout: 30000 });
  for (let row = 1; ; row += 1) {
    database.prepare(RECORD).run(row);
    if (row === 20) console.log("recording");
    if (!isOpenedEachTime) continue;
    database.close();
    database = new Database(path, { timeout: 30000 });
  }`;

test.each([
  ["wal", "once"],
  ["wal", "each"],
  ["delete", "once"],
])("a database in %s mode, opened %s, is judged while a program records", async (mode, opened) => {
  const path = writeDatabase(join(freshFolder(), "live.db"), `PRAGMA journal_mode = ${mode}; ${metricsDatabase}`);
  const child = spawn(process.execPath, ["-e", PROGRAM, path, opened], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(createInterface(child.stdout), "line");
  for (let time = 1; time <= 20; time += 1)
    expect(checkFile(path, { line: "16" })).toMatchObject({ kind: "metrics-database", conforms: true, findings: [] });
  expect(child.exitCode).toBeNull();
});
