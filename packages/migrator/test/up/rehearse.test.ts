import { chmodSync, copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { layOutMigration } from "../../../../fixtures/lay_out.ts";
import { fixture } from "../../../../fixtures/paths.ts";
import type { ProgressEvent } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, connect, DOCUMENTED_15, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { endOf, firstLine, startProgram } from "../support/program.ts";
import { schemaErrors } from "../support/report_schema.ts";

describe.each(["documented-15", "field-a", "persistence-directory"])("a rehearsal of %s", (name) => {
  test("migrates and proves, and changes no byte, time or name", async () => {
    const folder = freshFolder();
    layOutMigration(name, folder);
    const before = stampOf(folder);
    const events: ProgressEvent[] = [];
    const report = await migrate(folder, { rehearse: true, onProgress: (event) => void events.push(event) });
    expect(stampOf(folder)).toBe(before);
    expect(schemaErrors(report)).toEqual([]);
    expect(report).toMatchObject({ exit_code: 0, rehearsal: true, report_path: null });
    const items = [...report.databases, ...report.state_directories].map(({ status }) => status);
    expect(items).toContain("rehearsed");
    expect(items.filter((status) => !["rehearsed", "nothing_to_do", "left_alone"].includes(status))).toEqual([]);
    for (const { verification, backup } of report.databases.filter(({ status }) => status === "rehearsed"))
      expect([verification?.differences, backup]).toEqual([[], null]);
    expect(events.map(({ stage }) => stage)).toEqual(expect.arrayContaining(["change", "verify", "commit"]));
    expect(JSON.stringify([report, events])).not.toContain("perdura-tmp");
    const real = await migrate(folder);
    expect(real.databases.map(({ verification }) => verification)).toEqual(
      report.databases.map(({ verification }) => verification),
    );
  });
});

test.each(["field-a-wal.db", "documented-15-wal.db", "field-a-hot-journal.db", "documented-15-hot-journal.db"])(
  "a rehearsal of %s keeps the files next to it",
  async (name) => {
    const folder = freshFolder();
    for (const file of readdirSync(fixture("legacy")).filter((other) =>
      new RegExp(`^${name}(-wal|-journal)?$`).test(other),
    ))
      copyFileSync(fixture("legacy", file), join(folder, file));
    const before = stampOf(folder);
    expect(await migrate(folder, { rehearse: true })).toMatchObject({
      exit_code: 0,
      databases: [{ status: "rehearsed", verification: { method: expect.any(String), differences: [] } }],
    });
    expect(stampOf(folder)).toBe(before);
  },
);

test("an interrupted rehearsal removes its copy", async () => {
  const [folder, backupDir] = [freshFolder(), freshFolder()];
  makeDatabase(join(folder, "m.db"), FIELD_A);
  addRows(join(folder, "m.db"), "metrics", 50);
  const before = stampOf(folder);
  const rehearsal = migrate(folder, {
    rehearse: true,
    backupDir,
    onProgress: ({ stage }) => {
      if (stage !== "commit") return;
      expect(readdirSync(backupDir)).not.toEqual([]);
      throw new Error("stopped here");
    },
  });
  await expect(rehearsal).rejects.toThrow("stopped here");
  expect(stampOf(folder)).toBe(before);
  expect(readdirSync(backupDir)).toEqual([]);
});

test("rehearses a read-only database in another directory", async () => {
  const [folder, backupDir] = [freshFolder(), freshFolder()];
  const path = join(folder, "m.db");
  makeDatabase(path, DOCUMENTED_15);
  addRows(path, "interactions", 50);
  chmodSync(path, 0o444);
  expect(await migrate(path, { rehearse: true, backupDir })).toMatchObject({
    exit_code: 0,
    databases: [{ status: "rehearsed", verification: { method: "pages" } }],
  });
});

test("waits for a writer that commits during the copy, and loses no row", async () => {
  const folder = freshFolder();
  const path = join(folder, "metrics.db");
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 500);
  const writer = startProgram("busy_writer.ts", path);
  await firstLine(writer);
  expect(await migrate(path, { rehearse: true, busyTimeoutMs: 30_000 })).toMatchObject({ exit_code: 0 });
  writer.stdin?.end();
  expect(await endOf(writer)).toBe(0);
  const database = connect(path, { readonly: true });
  expect(database.pragma("integrity_check")).toEqual([{ integrity_check: "ok" }]);
  database.close();
});
