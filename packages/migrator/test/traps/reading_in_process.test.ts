import { realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ProgressEvent } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { hasLevels, rotated, useLayout } from "../layouts/layout_suite.ts";
import { fill, insertion, OLD_TABLES, type OldTable, optionsFor } from "../layouts/old_table.ts";
import { freshFolder } from "../support/folder.ts";
import { makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { runBeside } from "../support/program.ts";

const JOURNALS = [
  ["a rollback journal", "delete"],
  ["a write-ahead log", "wal"],
  ["a rollback journal that is kept", "persist"],
] as const;

/** A row that another process tries to add. */
const intrusion = (old: OldTable): string =>
  insertion(old, 501, { user_id: "'intruder'", level: "1", success: "1", response_time_ms: "1" });

test.each(rotated(JOURNALS))("no other process can write while the lock is held: %s", async (_what, journal, old) => {
  useLayout(old);
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, `PRAGMA journal_mode = ${journal}`, old.create);
  fill(path, old, 500);
  const answers: string[] = [];
  const onProgress = ({ stage }: ProgressEvent): void => {
    if (["backup", "change", "verify", "commit"].includes(stage))
      answers.push(runBeside("intruder.ts", path, intrusion(old)));
  };
  expect((await migrate(path, { ...optionsFor(old), onProgress })).exit_code).toBe(0);
  expect(answers.length).toBeGreaterThan(4);
  expect(new Set(answers)).toEqual(new Set(["SQLITE_BUSY"]));
  expect(query(path, "SELECT count(*) FROM interactions")).toEqual([[500n]]);
});

test.each(rotated(JOURNALS, OLD_TABLES.map(([, old]) => old).filter(hasLevels)))(
  "nor if a program does the work on the files itself: %s",
  (_what, journal, old) => {
    const path = join(realpathSync(freshFolder()), "m.db");
    makeDatabase(path, `PRAGMA journal_mode = ${journal}`, old.create);
    fill(path, old, 500);
    const { exit_code, answers, open } = JSON.parse(runBeside("migrate_itself.ts", path, intrusion(old))) as {
      exit_code: number;
      answers: string[];
      open: number;
    };
    expect(exit_code).toBe(0);
    expect(answers.length).toBeGreaterThan(4);
    expect(new Set(answers)).toEqual(new Set(["SQLITE_BUSY"]));
    expect(open).toBe(0);
    expect(query(path, "SELECT count(*) FROM interactions")).toEqual([[500n]]);
  },
);
