import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { connect, DOCUMENTED_15 } from "../../../../test/legacy/legacy_database.ts";
import { canMount } from "../../../../test/mounts.ts";
import { layOut, smallDisk } from "../support/small_disk.ts";
import { needs } from "../../../../test/needs.ts";

test("a rehearsal works on a read-only mount", needs("mount", !canMount()), async () => {
  const disk = smallDisk(4);
  layOut(disk);
  const database = connect(join(disk, "wal.db"));
  database.exec(
    `PRAGMA journal_mode = wal; ${DOCUMENTED_15} INSERT INTO interactions (user_id, empathy_level, success) VALUES ('u', 1, 1)`,
  );
  database.close();
  const temporary = freshFolder();
  const before = stampOf(disk);
  expect(spawnSync("mount", ["-o", "remount,ro", disk]).status).toBe(0);
  expect(await migrate(disk)).toMatchObject({ exit_code: 3 });
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await migrate(disk, { rehearse: true })).toMatchObject({
    exit_code: 0,
    databases: [
      { status: "rehearsed", disk: { path: temporary } },
      { status: "rehearsed", disk: { path: temporary } },
    ],
    state_directories: [{ status: "rehearsed", disk: { path: temporary } }],
  });
  expect(stampOf(disk)).toBe(before);
  expect(stampOf(temporary)).toBe("");
});
