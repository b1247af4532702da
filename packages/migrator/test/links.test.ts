import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { migrate, planMigration } from "../src/index.ts";
import { freshFolder, stampOf } from "./folder.ts";
import { DOCUMENTED_15, makeDatabase } from "./legacy_database.ts";

test("a database with a second name is refused", async () => {
  const folder = freshFolder();
  makeDatabase(join(folder, "m.db"), DOCUMENTED_15);
  linkSync(join(folder, "m.db"), join(freshFolder(), "other.db"));
  const before = stampOf(folder);
  expect(await migrate(folder)).toMatchObject({
    exit_code: 3,
    databases: [{ status: "refused", reason: expect.stringContaining("2 names") }],
  });
  expect(stampOf(folder)).toBe(before);
});

test("a link that leads out of the target to a database or to states needs a decision", async () => {
  const [folder, elsewhere] = [freshFolder(), freshFolder()];
  makeDatabase(join(elsewhere, "m.db"), DOCUMENTED_15);
  mkdirSync(join(elsewhere, "empathy_state"));
  symlinkSync(join(elsewhere, "m.db"), join(folder, "m.db"));
  symlinkSync(join(elsewhere, "empathy_state"), join(folder, "empathy_state"));
  const report = await migrate(folder);
  expect(report.exit_code).toBe(3);
  expect(report.refused.map(({ path }) => path).toSorted()).toEqual([
    join(folder, "empathy_state"),
    join(folder, "m.db"),
  ]);
});

test("a link inside the target, to nowhere, or to something else is no trouble", async () => {
  const [folder, elsewhere] = [freshFolder(), freshFolder()];
  makeDatabase(join(folder, "m.db"), DOCUMENTED_15);
  writeFileSync(join(elsewhere, "notes.txt"), "notes");
  symlinkSync("m.db", join(folder, "current.db"));
  symlinkSync("gone.db", join(folder, "gone.db"));
  symlinkSync(join(elsewhere, "notes.txt"), join(folder, "notes.txt"));
  const report = await migrate(folder);
  expect(report).toMatchObject({ exit_code: 0, databases: [{ path: join(folder, "m.db"), status: "migrated" }] });
});

test("a link that is named as a target stands for what it leads to", async () => {
  const [folder, elsewhere] = [freshFolder(), freshFolder()];
  makeDatabase(join(elsewhere, "m.db"), DOCUMENTED_15);
  symlinkSync(join(elsewhere, "m.db"), join(folder, "link.db"));
  expect(await planMigration(join(folder, "link.db"))).toMatchObject({
    exit_code: 0,
    databases: [{ path: join(elsewhere, "m.db"), status: "planned" }],
  });
});

test("look-alikes of states are not taken for states; directories of whatever name with states are", async () => {
  const folder = freshFolder();
  const state = '{"user_id": "a", "trust_level": 0.5, "total_interactions": 1}';
  for (const [directory, file] of [
    ["sessions", "session_1.json"],
    ["compact_states", "a.json"],
    ["people", "a.json"],
    ["config", "settings.json"],
  ] as const) {
    mkdirSync(join(folder, directory));
    writeFileSync(join(folder, directory, file), directory === "config" ? '{"theme": "dark"}' : state);
  }
  const { state_directories: found } = await planMigration(folder);
  expect(found.map(({ path }) => path)).toEqual([join(folder, "people")]);
});
