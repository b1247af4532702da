import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addRows, connect, DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { runProcess } from "../support/program.ts";
import { schemaErrors } from "../support/report_schema.ts";

/** Exit code and text of the program as its own process. */
function run(...words: string[]): { code: number | null; last: string | undefined } {
  const { code, stdout } = runProcess(...words);
  return { code, last: stdout.trimEnd().split("\n").at(-1) };
}

test("verify of a directory without data does not succeed; the other commands have nothing to do", () => {
  const folder = freshFolder();
  expect(run("verify", folder)).toEqual({ code: 1, last: `Found nothing to compare in ${folder}.` });
  for (const command of ["plan", "up", "status"])
    expect(run(command, folder)).toMatchObject({ code: 0, last: expect.stringMatching(/^Found no database/) });
});

test("verify of data that were never migrated does not succeed", async () => {
  const folder = freshFolder();
  makeDatabase(join(folder, "metrics.db"), DOCUMENTED_15);
  expect(run("verify", folder)).toEqual({ code: 1, last: `Found nothing to compare in ${folder}: 1 not compared.` });
  const report = await verifyMigration([folder, folder]);
  expect(report.exit_code).toBe(1);
  expect(schemaErrors(report)).toEqual([]);
});

test("what was not compared next to verified data is named in the summary", async () => {
  const folder = freshFolder();
  for (const name of ["a.db", "b.db"]) {
    makeDatabase(join(folder, name), DOCUMENTED_15);
    addRows(join(folder, name), "interactions", 2);
  }
  // Otherwise it would be a likely copy of the first.
  const other = connect(join(folder, "b.db"));
  other.exec("UPDATE interactions SET id = id + 100, user_id = 'other', response_time_ms = 7");
  other.close();
  await migrate(folder);
  rmSync(join(folder, "perdura-migration-report.json"));
  rmSync(join(folder, "b.db.v15.bak"));
  expect(run("verify", folder)).toEqual({ code: 0, last: "Compared: 1 verified, 1 not compared." });
});

test("verify of an empty state directory does not succeed", () => {
  const folder = freshFolder();
  mkdirSync(join(folder, "empathy_state"));
  expect(run("verify", folder)).toMatchObject({ code: 1 });
});
