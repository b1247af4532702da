import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pruneMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

/** A folder with a database and the leftover of a run that was killed long ago. */
function folderWithLeftover(): { folder: string; leftover: string } {
  const folder = freshFolder();
  makeDatabase(join(folder, "metrics.db"), FIELD_A);
  const leftover = join(folder, ".metrics.db.v15.bak.0123abcd-999999-0a1b2c3d.perdura-tmp");
  writeFileSync(leftover, "half of a copy");
  utimesSync(leftover, 0, 0);
  return { folder, leftover };
}

test("removes unfinished files of a killed run", async () => {
  const { folder, leftover } = folderWithLeftover();
  expect(await migrate(folder)).toMatchObject({ exit_code: 0, notes: [] });
  expect(existsSync(leftover)).toBe(false);
});

test("reports files that cannot be removed, and continues", async () => {
  const { folder, leftover } = folderWithLeftover();
  // Not a side file of SQLite under this name.
  mkdirSync(`${leftover}-wal`);
  const note = expect.stringMatching(/^Cannot remove .*perdura-tmp: E.*The next run will try again/);
  expect(await migrate(folder)).toMatchObject({
    exit_code: 0,
    databases: [{ status: "migrated" }],
    notes: [note],
  });
  writeFileSync(leftover, "half of a copy");
  utimesSync(leftover, 0, 0);
  // Removing files is the purpose of this command.
  expect(await pruneMigration(folder)).toMatchObject({ exit_code: 1, notes: [note] });
});
