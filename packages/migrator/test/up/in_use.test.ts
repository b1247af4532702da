import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ProgressEvent } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { endOf, firstLine, runBeside, startProgram } from "../support/program.ts";
import { runProgram } from "../support/run_program.ts";

function database(rows: number): { folder: string; path: string } {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", rows);
  return { folder, path };
}

test("does not change a database that another process is writing to: exit code 5", async () => {
  const { folder, path } = database(100);
  const holder = startProgram("holder.ts", path, "write");
  await firstLine(holder);
  const before = stampOf(folder);
  expect(await migrate(path, { busyTimeoutMs: 100 })).toMatchObject({
    exit_code: 5,
    databases: [{ status: "in_use", reason: expect.stringContaining("Another process") }],
  });
  expect(stampOf(folder)).toBe(before);
  holder.stdin?.end();
  await endOf(holder);
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
});

test("rolls back if a reader prevents the commit, and leaves no files", async () => {
  const { path } = database(100);
  const holder = startProgram("holder.ts", path, "read");
  await firstLine(holder);
  expect(await migrate(path, { busyTimeoutMs: 100 })).toMatchObject({
    exit_code: 5,
    databases: [{ status: "in_use", backup: null, verification: null }],
  });
  expect(query(path, "SELECT count(*) FROM metrics")).toEqual([[100n]]);
  expect(existsSync(`${path}.v15.bak`)).toBe(false);
  holder.stdin?.end();
  await endOf(holder);
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ backup: { path: `${path}.v15.bak` } }] });
});

test("prevents writes by other processes between lock and commit", async () => {
  const { path } = database(2000);
  const answers: string[] = [];
  let locked = false;
  const onProgress = ({ stage }: ProgressEvent): void => {
    // The lock is taken after the event "lock", and released after the event "commit". This process is blocked
    // meanwhile.
    if (stage === "backup") locked = true;
    if (locked) answers.push(runBeside("intruder.ts", path));
  };
  expect(await migrate(path, { onProgress })).toMatchObject({
    exit_code: 0,
    databases: [{ verification: { rows_before: 2000, rows_after: 2000 } }],
  });
  expect(answers.length).toBeGreaterThan(8);
  expect(new Set(answers)).toEqual(new Set(["SQLITE_BUSY"]));
});

test("refuses a file as backup directory, and changes nothing", async () => {
  const { folder, path } = database(1);
  const file = join(freshFolder(), "file");
  writeFileSync(file, "");
  const before = stampOf(folder);
  expect(await runProgram("up", "--backup-dir", file, path)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--backup-dir"),
  });
  expect(stampOf(folder)).toBe(before);
});
