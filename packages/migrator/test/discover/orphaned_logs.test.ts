import { copyFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  migrationStatus,
  planMigration,
  pruneMigration,
  downgradeMigration,
  verifyMigration,
} from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, connect, DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

const COMMANDS = {
  plan: planMigration,
  up: migrate,
  verify: verifyMigration,
  status: migrationStatus,
  down: downgradeMigration,
  prune: pruneMigration,
};

/** Records a row in a copy of a migrated database, and leaves all its files like a killed program. */
function recordAndDie(path: string, mode: "WAL" | "DELETE"): void {
  const other = join(freshFolder(), basename(path));
  copyFileSync(path, other);
  const database = connect(other);
  database.pragma(`journal_mode = ${mode}`);
  database.pragma("cache_size = 1");
  // A journal exists until the commit, a log from then on.
  database.exec(`BEGIN; UPDATE interactions SET user_id = 'late'; ${mode === "WAL" ? "COMMIT" : ""}`);
  for (const suffix of ["", mode === "WAL" ? "-wal" : "-journal"])
    copyFileSync(`${other}${suffix}`, `${path}${suffix}`);
  database.close();
}

async function migrated(): Promise<string> {
  const path = join(freshFolder(), "metrics.db");
  makeDatabase(path, DOCUMENTED_15);
  addRows(path, "interactions", 2000);
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  return path;
}

describe.each(["WAL", "DELETE"] as const)("a log (%s) without its database", (mode) => {
  const suffix = mode === "WAL" ? "-wal" : "-journal";

  test.each(Object.entries(COMMANDS))("is refused by %s", async (_name, command) => {
    const path = await migrated();
    rmSync(join(dirname(path), "perdura-migration-report.json"));
    rmSync(`${path}.v15.bak`);
    recordAndDie(path, mode);
    const log = `${path}${suffix}`;
    // The other side file is empty.
    writeFileSync(`${path}${mode === "WAL" ? "-journal" : "-wal"}`, "");
    for (const leave of [() => rmSync(path), () => writeFileSync(path, "")]) {
      leave();
      const before = stampOf(dirname(path));
      for (const target of [path, dirname(path), log]) {
        expect(await command(target)).toMatchObject({
          exit_code: 3,
          refused: [{ path: log, reason: expect.stringContaining("A log with data whose database is missing") }],
        });
      }
      expect(stampOf(dirname(path))).toBe(before);
    }
  });
});

test("leaves a log without data, or a shared-memory file, alone", async () => {
  const folder = freshFolder();
  for (const name of ["a.db-wal", "a.db-journal", "b.db-shm"]) writeFileSync(join(folder, name), "");
  writeFileSync(join(folder, "c.db-journal"), Buffer.alloc(4096));
  expect(await planMigration(folder)).toMatchObject({ exit_code: 0, refused: [], left_alone: { length: 4 } });
});

describe("a restored backup next to the log of another database", () => {
  const { prune: _prune, ...reading } = COMMANDS;

  test.each(Object.entries(reading))("is refused by %s", async (_name, command) => {
    const path = await migrated();
    recordAndDie(path, "WAL");
    copyFileSync(`${path}.v15.bak`, path);
    const { exit_code: code, databases } = await command(path);
    expect({ code, databases }).toMatchObject({
      code: 3,
      databases: [
        {
          status: "refused",
          reason: expect.stringMatching(/^Cannot open the database: its log .*-wal belongs to another/),
        },
      ],
    });
    renameSync(`${path}-wal`, join(freshFolder(), "old-wal"));
    expect((await planMigration(path)).databases[0]).toMatchObject({ status: "planned", tables: [{ rows: 2000 }] });
  });

  test("is refused also if it uses a write-ahead log itself", async () => {
    const path = await migrated();
    const backup = `${path}.v15.bak`;
    recordAndDie(path, "WAL");
    makeDatabase(backup, "PRAGMA journal_mode = WAL; DELETE FROM interactions WHERE id > 40; VACUUM");
    copyFileSync(backup, path);
    const { exit_code: code, databases } = await planMigration(path);
    expect(code).toBe(3);
    expect(databases[0]?.reason).toMatch(/its log .*-wal belongs to another database/);
  });
});
