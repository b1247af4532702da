import { copyFileSync, existsSync, readFileSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import { expect, test } from "vitest";
import { layOutMigration } from "../../../../fixtures/lay_out.ts";
import { fixture } from "../../../../fixtures/paths.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { runProgram } from "../support/run_program.ts";

async function migrated(): Promise<string> {
  const folder = freshFolder();
  layOutMigration("persistence-directory", folder);
  expect((await runProgram("up", "--yes", folder)).code).toBe(0);
  return folder;
}

test("verify --html writes a page that shows that nothing is missing, and changes no data", async () => {
  const folder = await migrated();
  const before = stampOf(folder);
  const page = join(freshFolder(), "verification.html");
  const { code, stdout } = await runProgram("verify", folder, "--html", page);
  expect([code, stdout]).toEqual([0, expect.stringContaining("The page is in ")]);
  expect(stampOf(folder)).toEqual(before);
  const text = readFileSync(page, "utf8");
  expect(text).toMatch(/^<!doctype html>/i);
  expect(text).toMatch(/nothing is missing/i);
});

test("rows that were recorded since are not missing; removed ones are", async () => {
  const folder = await migrated();
  const page = join(freshFolder(), "verification.html");
  const metrics = new MetricsCollector(join(folder, "metrics.db"));
  metrics.recordInteraction("new", 1, true, 1);
  metrics.close();
  expect((await runProgram("verify", folder, "--html", page)).code).toBe(0);
  expect(readFileSync(page, "utf8")).toMatch(/nothing is missing/i);
});

test("patterns that the migration repaired are not missing", async () => {
  const folder = freshFolder();
  copyFileSync(fixture("legacy", "field-patterns.db"), join(folder, "patterns.db"));
  const page = join(freshFolder(), "verification.html");
  expect((await runProgram("up", "--yes", "--non-finite", "text", "--invalid-rows", "quarantine", folder)).code).toBe(
    0,
  );
  expect((await runProgram("verify", folder, "--html", page)).code).toBe(0);
  expect(readFileSync(page, "utf8")).toMatch(/nothing is missing/i);
});

test("a backup that cannot be read is named on the page, whose verdict is not good", async () => {
  const folder = await migrated();
  const page = join(freshFolder(), "verification.html");
  truncateSync(join(folder, "metrics.db.v15.bak"), 4096);
  expect((await runProgram("verify", folder, "--html", page)).code).not.toBe(0);
  const text = readFileSync(page, "utf8");
  expect(text).not.toMatch(/<h1><em>Nothing is missing/);
  expect(text).toContain("metrics.db.v15.bak");
});

test("a state that cannot be read is named on the page, whose verdict is not good", async () => {
  const folder = await migrated();
  const page = join(freshFolder(), "verification.html");
  symlinkSync(join(folder, "absent"), join(folder, "state", "later.json"));
  await runProgram("verify", folder, "--html", page);
  const text = readFileSync(page, "utf8");
  expect(text).not.toMatch(/<h1><em>Nothing is missing/);
  expect(text).toContain("later.json");
});

test("a page that cannot be written is refused before the work", async () => {
  const page = join(freshFolder(), "absent", "verification.html");
  const { code, stderr } = await runProgram("verify", freshFolder(), "--html", page);
  expect(code).not.toBe(0);
  expect(stderr).toContain("--html: the directory");
  expect(existsSync(page)).toBe(false);
  expect((await runProgram("verify", "postgres://localhost/x", "--html", "x.html")).stderr).toContain(
    "--html cannot be used with the address of a server",
  );
});
