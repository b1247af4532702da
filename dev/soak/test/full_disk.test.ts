import { spawnSync } from "node:child_process";
import { statfsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fillUntil, makeRoom } from "../src/disks/fill.ts";
import { Disk } from "../src/disks/disk.ts";
import { fullDisk } from "../src/full_disk.ts";
import { STAGE_NOT_REACHED } from "../src/full_disk/stage_not_reached.ts";
import { attemptOperation, judgeMessage, rehearseWithRoom } from "../src/full_disk/operations.ts";
import type { Level, Shortage } from "../src/full_disk/shortage.ts";
import { OPERATIONS } from "../src/operations/operations.ts";
import { sample } from "../src/sample.ts";
import { programWords } from "../../../test/programs.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { needs } from "../../../test/needs.ts";

const place = freshFolder();

describe("a full disk", needs("mount", fullDisk.missing() !== undefined), () => {
  test.for(["record by a writer, many at once (16)", "up states, full at archive"])("%s", async (only) => {
    const { complaints, trials } = await sample(fullDisk, { only, share: 0.02, seed: only.length });
    expect(complaints).toEqual([]);
    expect(trials).toBeGreaterThan(1);
  });

  test.for(["tmpfs", "ext4"] as const)("%s has the requested amount left, and space again afterwards", async (kind) => {
    const disk = new Disk(place, { kind, megabytes: 8 });
    try {
      const free = (): number => {
        const { bavail, bsize } = statfsSync(disk.directory);
        return (bavail * bsize) / 1024;
      };
      const before = free();
      for (const kilobytes of [0, 64, 1000]) {
        fillUntil(disk.directory, kilobytes);
        expect(free()).toBeGreaterThanOrEqual(kilobytes);
        expect(free()).toBeLessThan(kilobytes + 16);
        makeRoom(disk.directory);
      }
      expect(free()).toBe(before);
    } finally {
      await disk.remove();
    }
  });

  // Messages that programs once reported: "disk I/O error", "unable to open database file".
  test.for<[string, Shortage, number]>([
    ["record (16)", "tmpfs", 16],
    ["record (16)", "ext4-inodes", 1],
    ["save a first library as SQLite, merging (16)", "tmpfs-inodes", 0],
  ])("%s: %s with %i left", async ([name, shortage, left]) => {
    const operation = OPERATIONS.find((each) => each.name === name) as (typeof OPERATIONS)[number];
    const directory = freshFolder(place);
    const rehearsed = await rehearseWithRoom(operation, directory);
    expect(await attemptOperation(rehearsed, { shortage, left }, directory)).toEqual({ enough: false, wrong: [] });
  });
});

test("a migration that does not reach the stage of the shortage is not a success", () => {
  const program = new URL("../src/full_disk/fill_at_stage.ts", import.meta.url);
  const data = freshFolder(place);
  const words = [...programWords(program), "up --json", "revert", "tmpfs:0", data];
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
  expect(JSON.parse(stdout)).toMatchObject({ exit_code: 0 });
  expect(status).toBe(STAGE_NOT_REACHED);
});

describe("the judge", () => {
  const level: Level = { shortage: "ext4", left: 8 };
  const ended = (message: string): { stdout: string } => ({ stdout: JSON.stringify({ error: { message }, open: [] }) });

  test("reports an error that does not name the shortage", () => {
    expect(judgeMessage(ended("/d/a.json: saving failed: no space left on device."), level)).toEqual([]);
    expect(judgeMessage(ended("/d/a.json: saving failed."), level)).toEqual([
      "the error does not name the shortage: /d/a.json: saving failed.",
    ]);
    expect(judgeMessage({ stdout: '{"open":[]}' }, level)).toEqual([]);
  });
});
