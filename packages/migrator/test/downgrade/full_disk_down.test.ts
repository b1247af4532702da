import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { namesIn } from "../../../../dev/soak/src/migrations/data_state.ts";
import { pruneMigration, downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { stampOf } from "../support/folder.ts";
import { canMount } from "../../../../test/mounts.ts";
import { emptyDisk, fillAt, KB, layOut, smallDisk } from "../support/small_disk.ts";
import { needs } from "../../../../test/needs.ts";

describe("a disk that is full", needs("mount", !canMount()), () => {
  test.each([0, 500, 3000])("with %i kB left for the downgrade: changes nothing, or succeeds", async (kilobytes) => {
    const disk = smallDisk(12);
    const folder = join(disk, "data");
    layOut(folder);
    expect(await migrate(folder)).toMatchObject({ exit_code: 0 });
    const before = stampOf(folder);
    const report = await downgradeMigration(folder, { onProgress: fillAt("lock", disk, kilobytes * KB) });
    if (kilobytes < 500) expect(report.exit_code).toBe(1);
    if (kilobytes === 3000 || report.exit_code !== 1) expect(report).toMatchObject({ exit_code: 0 });
    else {
      expect(report.databases[0]?.reason).toMatch(/(?:no space left|disk is full).*not changed/s);
      expect(stampOf(folder).replace(/\nm\.db\.v16\.bak .*/, "")).toBe(before);
    }
    emptyDisk(disk);
    expect(await downgradeMigration(folder)).toMatchObject({ exit_code: 0 });
  });

  test.each([0, 110])("with %i kB left to restore pruned states: restores all or none", async (kilobytes) => {
    const disk = smallDisk(8);
    const states = join(disk, "empathy_state");
    layOutStates("field", states);
    for (const command of [migrate, pruneMigration]) expect(await command(disk)).toMatchObject({ exit_code: 0 });
    const report = await downgradeMigration(disk, { onProgress: fillAt("restore", disk, kilobytes * KB) });
    expect([1, 3]).toContain(report.exit_code);
    expect(report.state_directories[0]?.reason).toMatch(/no space left|Too little disk space/);
    expect(namesIn(disk).filter((name) => /empathy_state(?:$|\/)|perdura-tmp/.test(name))).toEqual([]);
    emptyDisk(disk);
    expect(await downgradeMigration(disk)).toMatchObject({ exit_code: 0, state_directories: [{ status: "restored" }] });
  });
});
