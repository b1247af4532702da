import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { canMount } from "../../../../test/mounts.ts";
import { emptyDisk, fillAt, fillUp, KB, layOut, smallDisk } from "../support/small_disk.ts";
import { needs } from "../../../../test/needs.ts";

describe("a disk that is full", needs("mount", !canMount()), () => {
  test("the plan names the directory with too little space", async () => {
    const disk = smallDisk(4);
    layOut(join(disk, "data"));
    fillUp(disk, 200 * KB);
    const before = stampOf(disk);
    for (const command of [planMigration, migrate]) {
      const report = await command(join(disk, "data"));
      expect(report).toMatchObject({ exit_code: 3, databases: [{ status: "refused" }] });
      expect(report.databases[0]?.reason).toContain(`Too little disk space in ${join(disk, "data")}`);
      expect(report.databases[0]?.disk?.needed_bytes).toBeGreaterThan(report.databases[0]?.disk?.free_bytes ?? 0);
      expect(stampOf(disk)).toBe(before);
    }
  });

  test.each([0, 40, 400, 460, 540, 620, 2000])(
    "with %i kB left after the plan: changes nothing and leaves at most a finished backup, or succeeds",
    async (kilobytes) => {
      const disk = smallDisk(8);
      const folder = join(disk, "data");
      layOut(folder);
      const before = stampOf(folder);
      const report = await migrate(folder, { onProgress: fillAt("lock", disk, kilobytes * KB) });
      if (kilobytes < 420) expect(report.exit_code).toBe(1);
      if (kilobytes === 2000 || report.exit_code !== 1) expect(report).toMatchObject({ exit_code: 0 });
      else {
        expect(report).toMatchObject({ databases: [{ status: "failed" }] });
        expect(report.databases[0]?.reason).toMatch(/(?:no space left|disk is full).*not changed/s);
        expect(stampOf(folder).replace(/\nm\.db\.v15\.bak .*/, "")).toBe(before);
      }
      emptyDisk(disk);
      expect(await migrate(folder)).toMatchObject({ exit_code: 0 });
      expect(await verifyMigration(folder)).toMatchObject({ exit_code: 0 });
    },
  );

  test.each([0, 40])("with %i kB left for the archive: keeps the states and leaves no archive", async (kilobytes) => {
    const disk = smallDisk(8);
    const folder = join(disk, "data");
    layOutStates("field", join(folder, "empathy_state"));
    const before = stampOf(folder);
    const report = await migrate(folder, { onProgress: fillAt("archive", disk, kilobytes * KB) });
    expect(report).toMatchObject({ exit_code: 1, state_directories: [{ status: "failed" }] });
    expect(report.state_directories[0]?.reason).toMatch(/no space left|disk is full|disk I\/O/);
    expect(stampOf(folder)).toBe(before);
    emptyDisk(disk);
    expect(await migrate(folder)).toMatchObject({ exit_code: 0 });
  });

  test("migrates with space for the data but not for the report, with a note", async () => {
    const disk = smallDisk(8);
    layOutStates("field", join(disk, "empathy_state"));
    const report = await migrate(disk, { onProgress: fillAt("place", disk, 0) });
    expect(report).toMatchObject({
      exit_code: 0,
      state_directories: [{ status: "archived" }],
      notes: [expect.stringMatching(/Cannot save the report: .*no space left/)],
      report_path: null,
    });
  });

  test.each([0, 399])("with %i kB left for the backups: names the disk and changes nothing", async (kilobytes) => {
    const [folder, disk] = [freshFolder(), smallDisk(4)];
    layOut(folder);
    const before = stampOf(folder);
    const late = await migrate(folder, { backupDir: disk, onProgress: fillAt("lock", disk, kilobytes * KB) });
    expect(late).toMatchObject({ exit_code: 1, databases: [{ status: "failed" }] });
    expect(late.databases[0]?.reason).toMatch(/no space left/);
    const early = await migrate(folder, { backupDir: disk });
    expect(early).toMatchObject({ exit_code: 3, databases: [{ status: "refused" }] });
    expect(early.databases[0]?.reason).toContain(`Too little disk space in ${disk}`);
    expect(stampOf(folder)).toBe(before);
    emptyDisk(disk);
    expect(await migrate(folder, { backupDir: disk })).toMatchObject({ exit_code: 0 });
  });

  test("names a full disk for temporary files, and leaves no file there", async () => {
    const [folder, disk] = [freshFolder(), smallDisk(1)];
    makeDatabase(join(folder, "m.db"), FIELD_A, "PRAGMA journal_mode = WAL");
    addRows(join(folder, "m.db"), "metrics", 3000);
    fillUp(disk, 40 * KB);
    const before = stampOf(disk);
    vi.stubEnv("TMPDIR", disk);
    const report = await planMigration(folder).finally(() => vi.unstubAllEnvs());
    expect(report).toMatchObject({ exit_code: 3, databases: [{ status: "refused" }] });
    expect(report.databases[0]?.reason).toMatch(/is too small for a copy of the database: \d+ bytes are needed/);
    expect(report.databases[0]?.reason).toContain(disk);
    expect(stampOf(disk)).toBe(before);
  });
});
