import { spawnSync } from "node:child_process";
import { readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PatternLibrary, PatternPersistence } from "@perdura/v16";
import { afterAll, describe, expect, test } from "vitest";
import { COLLECTORS, temporaryDatabase } from "./collectors.ts";
import { skipWithout } from "../needs.ts";
import { temporaryFolder } from "../temporary_folder.ts";

const disks: string[] = [];

/** A file system in memory of 2 MB, a quarter of it used; undefined if this user may not mount one. */
function smallDisk(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return undefined;
  const disk = temporaryFolder();
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=2m", "perdura", disk]).status !== 0) return undefined;
  disks.push(disk);
  writeFileSync(join(disk, "filler"), Buffer.alloc(512 * 1024));
  return disk;
}

afterAll(() => {
  for (const disk of disks) {
    spawnSync("umount", [disk]);
    rmSync(disk, { recursive: true, force: true });
  }
});

describe.for(COLLECTORS)("on a full disk, in $name", ({ open, record }) => {
  test("keeps all acknowledged rows, answers queries, and records again once there is space", (context) => {
    const disk = smallDisk();
    if (disk === undefined) return skipWithout("mount", context);
    using metrics = open(join(disk, "metrics.db"));
    const metadata = { note: "x".repeat(1000) };
    let rows = 0;
    const untilFull = (): void => {
      for (;;) {
        record(metrics, "u", true, 1, metadata);
        rows += 1;
      }
    };
    expect(untilFull).toThrow(
      expect.objectContaining({
        code: "PERDURA_STORAGE",
        message: expect.stringMatching(
          /metrics\.db: recording failed: no space left on the disk: 0 kB free\. No stored data/,
        ),
      }),
    );
    expect(metrics.getGlobalStats().total_interactions).toBe(rows);

    const library = new PatternLibrary();
    library.contribute("a", { id: "p", pattern_type: "t", name: "n", description: "x".repeat(100_000) });
    for (const save of [
      () => PatternPersistence.saveToJson(library, join(disk, "library.json")),
      () => PatternPersistence.saveToSqlite(library, join(disk, "library.db")),
    ])
      expect(save).toThrow(expect.objectContaining({ code: "PERDURA_STORAGE" }));
    expect(readdirSync(disk).filter((name) => !name.startsWith("metrics.db"))).toEqual(["filler"]);

    rmSync(join(disk, "filler"));
    record(metrics, "u", true, 1, metadata);
    expect(metrics.getGlobalStats().total_interactions).toBe(rows + 1);
  });

  test("an export without space names its own file, not the database", (context) => {
    const disk = smallDisk();
    if (disk === undefined) return skipWithout("mount", context);
    using metrics = open(temporaryDatabase());
    for (let row = 0; row < 20; row += 1) record(metrics, "u", true, 1, { note: "x".repeat(100_000) });
    const path = join(disk, "interactions.jsonl");
    expect(() => metrics.exportMetrics(path)).toThrow(
      expect.objectContaining({
        code: "PERDURA_STORAGE",
        path,
        message: expect.stringMatching(/interactions\.jsonl: saving failed: ENOSPC.* No stored data was changed\.$/),
      }),
    );
    expect(readdirSync(disk)).toEqual(["filler"]);
  });

  test("an I/O error that SQLite does not attribute to a full disk states the free space", (context) => {
    const disk = smallDisk();
    if (disk === undefined) return skipWithout("mount", context);
    const path = join(disk, "metrics.db");
    const recordOne = (): void => {
      using metrics = open(path);
      record(metrics, "u", true, 1);
    };
    recordOne();
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, "more"), Buffer.alloc(bavail * bsize - 16 * 1024));
    expect(recordOne).toThrow(
      expect.objectContaining({
        code: "PERDURA_STORAGE",
        message: expect.stringMatching(/no space left on the disk: \d+ kB free\. No stored data/),
      }),
    );
    rmSync(join(disk, "more"));
    recordOne();
  });
});
