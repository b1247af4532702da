import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { ON_POSIX } from "../../../../test/needs.ts";

/** A database whose path has this many bytes. */
function withPathOf(bytes: number): { folder: string; path: string } {
  const folder = freshFolder();
  const made = join(folder, "m.db");
  makeDatabase(made, FIELD_A);
  addRows(made, "metrics", 3);
  let place = join(folder, "d");
  while (bytes - place.length > 120) place = join(place, "x".repeat(100));
  mkdirSync(place, { recursive: true });
  const path = join(place, `${"m".repeat(bytes - place.length - 4)}.db`);
  copyFileSync(made, path);
  return { folder, path };
}

test("names a path that is too long for SQLite, and by how much", ON_POSIX, async () => {
  const { folder, path } = withPathOf(505);
  expect(Buffer.byteLength(path)).toBe(505);
  const before = stampOf(folder);
  for (const command of [planMigration, migrate])
    expect(await command(path)).toMatchObject({
      exit_code: 3,
      databases: [{ status: "refused", reason: expect.stringMatching(/path has 505 bytes.*at most 504 bytes/) }],
    });
  expect(stampOf(folder)).toBe(before);
});

test("names a path that is too long for the backup; with another backup directory it works", ON_POSIX, async () => {
  const { folder, path } = withPathOf(490);
  const before = stampOf(folder);
  expect(await migrate(path)).toMatchObject({
    exit_code: 3,
    databases: [
      {
        status: "refused",
        reason: expect.stringMatching(/Cannot write the backup: .* up to 504 bytes.*--backup-dir/),
      },
    ],
  });
  expect(stampOf(folder)).toBe(before);
  expect(await migrate(path, { backupDir: freshFolder() })).toMatchObject({ exit_code: 0 });
});
