import { copyFileSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { expect, onTestFinished, test, vi } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import { copyData, planMigration } from "../../src/index.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { endOf, startProgram } from "../support/program.ts";
import { canMount } from "../../../../test/mounts.ts";
import { fillUp, KB, smallDisk } from "../support/small_disk.ts";
import { newSchema, otherProgram } from "./both_sides.ts";
import { startCopy } from "./copy_process.ts";
import { needs } from "../../../../test/needs.ts";

/** A directory for the temporary files of this process and its children. */
function temporaryFiles(folder: string = freshFolder()): string {
  vi.stubEnv("TMPDIR", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}

/** A directory with a pre-16 database. */
function legacyFolder(): string {
  const folder = freshFolder();
  copyFileSync(fixture("legacy", "field-a-one.db"), join(folder, "metrics.db"));
  return folder;
}

test("reports a missing temporary directory only if it is needed", async () => {
  const folder = legacyFolder();
  temporaryFiles(join(freshFolder(), "missing"));
  expect(await planMigration(folder)).toMatchObject({
    exit_code: 0,
    summary: expect.stringMatching(/1/) as string,
  });
});

describeWithPostgres("private copies of a pre-16 source", (postgres) => {
  test.each(["backup", "change", "verify", "compare", "copy"])(
    "a copy killed at the stage %s leaves nothing next to the data, and the next copy removes all leftovers",
    async (stage) => {
      const folder = legacyFolder();
      const temporary = temporaryFiles();
      const before = stampOf(folder);
      const schema = newSchema();
      expect(await endOf(startProgram("dying_copy.ts", folder, postgres.url, schema, "1", stage))).toBe("SIGKILL");
      expect(stampOf(folder)).toBe(before);
      const left = readdirSync(temporary);
      expect(left).toHaveLength(1);
      if (process.platform !== "win32") expect(statSync(join(temporary, left[0] as string)).mode & 0o777).toBe(0o700);
      expect(await copyData(folder, postgres.url, { schema })).toMatchObject({ exit_code: 0, verified: true });
      expect(stampOf(folder)).toBe(before);
      expect(readdirSync(temporary)).toEqual([]);
    },
  );

  test("any command removes leftovers, but not files of a running copy", async () => {
    const folder = legacyFolder();
    const empty = join(freshFolder(), "empty.db");
    makeDatabase(empty, FIELD_A);
    const temporary = temporaryFiles();
    const schema = newSchema();
    expect(await endOf(startProgram("dying_copy.ts", folder, postgres.url, schema, "1", "compare"))).toBe("SIGKILL");
    const [left] = readdirSync(temporary);
    const other = await otherProgram(postgres.url, schema);
    await copyData(empty, postgres.url, { schema });
    // The copy waits for this transaction.
    await other.query("BEGIN; INSERT INTO interactions (id, user_id, level, success) VALUES (1, 'o', 1, true)");
    const copy = startCopy("--json", "--schema", schema, folder, postgres.url);
    await copy.says('"stage":"copy"');
    const used = readdirSync(temporary).filter((name) => name !== left);
    expect(used).toHaveLength(1);
    await planMigration(folder);
    expect(readdirSync(temporary)).toEqual(used);
    await copyData(folder, postgres.url, { schema, dryRun: true });
    expect(readdirSync(temporary)).toEqual(used);
    await other.query("ROLLBACK");
    const { code, stdout, stderr } = await copy.ended;
    expect(code, stdout + stderr).toBe(0);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("does not remove other directories and files", async () => {
    const folder = legacyFolder();
    const temporary = temporaryFiles();
    mkdirSync(join(temporary, "mine.perdura-copy"));
    mkdirSync(join(temporary, ".perdura-copy.mine"));
    await planMigration(folder);
    expect(readdirSync(temporary)).toEqual([".perdura-copy.mine", "mine.perdura-copy"]);
  });

  test("reports too little space before the copy", needs("mount", !canMount()), async () => {
    const folder = freshFolder();
    makeDatabase(join(folder, "metrics.db"), FIELD_A);
    addRows(join(folder, "metrics.db"), "metrics", 6000);
    const temporary = temporaryFiles(smallDisk(4));
    fillUp(temporary, 600 * KB);
    const report = await copyData(folder, postgres.url, { schema: newSchema() });
    expect(report).toMatchObject({ exit_code: 3, tables: [] });
    expect(report.summary).toMatch(
      /Too little disk space in \S+: \d+ bytes are needed at most, \d+ are free\. Free disk space, or set the environment variable TMPDIR to another directory\./,
    );
    expect(report.summary).toContain(`in ${temporary}:`);
    expect(readdirSync(temporary)).toEqual(["filler"]);
  });
});
