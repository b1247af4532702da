import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freshFolder } from "../support/folder.ts";
import { FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { runProcess } from "../support/program.ts";

/** A pipe without a writer: a process that opens it blocks forever. */
function makePipe(path: string): void {
  expect(spawnSync("mkfifo", [path]).status).toBe(0);
}

function folderWithDatabase(): { folder: string; path: string } {
  const folder = freshFolder();
  const path = join(folder, "metrics.db");
  makeDatabase(path, FIELD_A);
  return { folder, path };
}

test("refuses a pipe as a target", () => {
  const pipe = join(freshFolder(), "pipe");
  makePipe(pipe);
  expect(runProcess("plan", pipe)).toMatchObject({
    code: 3,
    stdout: expect.stringContaining("found a pipe, socket or device"),
  });
});

test("keeps a pipe that has the name of a backup, and gives the backup another name", () => {
  const { folder, path } = folderWithDatabase();
  makePipe(`${path}.v15.bak`);
  expect(runProcess("verify", folder)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("nothing to compare"),
  });
  expect(runProcess("up", "--yes", folder)).toMatchObject({ code: 0 });
  expect(existsSync(`${path}.v15.2.bak`)).toBe(true);
  expect(runProcess("verify", folder)).toMatchObject({ code: 0, stdout: expect.stringContaining("1 verified") });
});

test.each(["-journal", "-wal", "-shm"])("refuses a pipe with the name of the file %s", (suffix) => {
  const { folder, path } = folderWithDatabase();
  makePipe(`${path}${suffix}`);
  for (const command of ["plan", "verify"])
    expect(runProcess(command, folder)).toMatchObject({ stdout: expect.stringContaining(`metrics.db${suffix}`) });
  expect(runProcess("up", "--yes", path)).toMatchObject({ code: 3, stdout: expect.stringContaining("regular file") });
});
