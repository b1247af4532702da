import { copyFileSync, existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { layOutMigration, layOutStates } from "../../../../fixtures/lay_out.ts";
import { fixture } from "../../../../fixtures/paths.ts";
import { planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { endOf, firstLine, startProgram } from "../support/program.ts";

/** A directory with one of every kind of file. */
function everything(): string {
  const folder = freshFolder();
  for (const name of readdirSync(fixture("legacy")).filter((file) => !file.endsWith(".json")))
    copyFileSync(fixture("legacy", name), join(folder, name));
  copyFileSync(fixture("libraries", "wal-mode.db"), join(folder, "wal-mode.db"));
  layOutStates("field", join(folder, "empathy_state"));
  layOutStates("broken", join(folder, "state"));
  return folder;
}

describe("a plan", () => {
  test("changes no byte, time or name of any fixture", async () => {
    const folder = everything();
    const before = stampOf(folder);
    const report = await planMigration(folder, { invalidRows: "quarantine" });
    expect(report.databases.length).toBeGreaterThan(15);
    expect(
      readdirSync(tmpdir()).filter((name) => name.startsWith(".perdura-copy.") && name.includes(`-${process.pid}-`)),
    ).toEqual([]);
    expect(stampOf(folder)).toBe(before);
  });

  test("reads a database whose writer was killed, and keeps its journal", async () => {
    const folder = freshFolder();
    const path = join(folder, "m.db");
    makeDatabase(path, FIELD_A);
    addRows(path, "metrics", 5000);
    const writer = startProgram("holder.ts", path, "spill");
    await firstLine(writer);
    writer.kill("SIGKILL");
    await endOf(writer);
    expect(existsSync(`${path}-journal`)).toBe(true);
    const before = stampOf(folder);
    expect(await planMigration(path)).toMatchObject({
      exit_code: 0,
      databases: [{ status: "planned", tables: [{ table: "metrics", rows: 5000 }] }],
    });
    expect(stampOf(folder)).toBe(before);
    expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ verification: { rows_after: 5000 } }] });
  });
});

describe("a second run", () => {
  test.each(["documented-15", "field-a", "persistence-directory"])(
    "over %s has nothing to do and changes nothing",
    async (name) => {
      const folder = freshFolder();
      layOutMigration(name, folder);
      expect(await migrate(folder)).toMatchObject({ exit_code: 0 });
      const before = stampOf(folder);
      const second = await migrate(folder);
      expect(second).toMatchObject({ exit_code: 0, summary: "Nothing to do; nothing was changed.", report_path: null });
      expect((await verifyMigration(folder)).exit_code).toBe(0);
      expect(stampOf(folder)).toBe(before);
    },
  );
});

test("changes nothing if one item needs a decision", async () => {
  const folder = everything();
  const before = stampOf(folder);
  const report = await migrate(folder, { invalidRows: "quarantine" });
  expect(report.exit_code).toBe(3);
  expect(report.databases.map(({ status }) => status)).toContain("not_started");
  expect(stampOf(folder)).toBe(before);
});
