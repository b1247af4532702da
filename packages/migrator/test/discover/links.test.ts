import { existsSync, linkSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planMigration, downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { connect, DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

test("refuses a database with two hard links", async () => {
  const folder = freshFolder();
  makeDatabase(join(folder, "m.db"), DOCUMENTED_15);
  linkSync(join(folder, "m.db"), join(freshFolder(), "other.db"));
  const before = stampOf(folder);
  expect(await migrate(folder)).toMatchObject({
    exit_code: 3,
    databases: [{ status: "refused", reason: expect.stringContaining("2 hard links") }],
  });
  expect(stampOf(folder)).toBe(before);
});

test("asks for no decision about a database with two hard links", async () => {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, DOCUMENTED_15);
  const database = connect(path);
  database.exec(
    "PRAGMA ignore_check_constraints = ON; INSERT INTO interactions (user_id, empathy_level, success, response_time_ms) VALUES ('a', 7, 1, 1.5)",
  );
  database.close();
  expect((await planMigration(folder)).databases).toMatchObject([{ decisions: ["quarantine"] }]);
  linkSync(path, join(freshFolder(), "other.db"));
  expect((await planMigration(folder)).databases).toMatchObject([
    { status: "refused", reason: expect.stringContaining("2 hard links"), decisions: [] },
  ]);
});

test("refuses a link to a database or state directory outside the target", async () => {
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

test("refuses a link with any name to an outside directory with databases or states", async () => {
  const [folder, states, databases, others] = [freshFolder(), freshFolder(), freshFolder(), freshFolder()];
  writeFileSync(join(states, "a.json"), '{"user_id": "a", "trust_level": 0.5}');
  makeDatabase(join(databases, "m.db"), DOCUMENTED_15);
  writeFileSync(join(databases, "notes.txt"), "notes");
  writeFileSync(join(others, "notes.db"), "no database");
  for (const [name, target] of Object.entries({ states, databases, others })) symlinkSync(target, join(folder, name));
  const before = stampOf(folder);
  const report = await migrate(folder);
  expect(report.exit_code).toBe(3);
  expect(report.refused).toEqual([
    { path: join(folder, "states"), reason: expect.stringContaining(states) },
    { path: join(folder, "databases", "m.db"), reason: expect.stringContaining(join(databases, "m.db")) },
  ]);
  expect(report.left_alone.map(({ path }) => path)).toEqual(
    expect.arrayContaining([join(folder, "databases"), join(folder, "others")]),
  );
  expect(stampOf(folder)).toBe(before);
});

test("archives a link inside a state directory as a link", async () => {
  const [folder, elsewhere] = [freshFolder(), freshFolder()];
  mkdirSync(join(folder, "empathy_state"));
  writeFileSync(join(folder, "empathy_state", "a.json"), '{"user_id": "a", "trust_level": 0.5}');
  writeFileSync(join(elsewhere, "b.json"), '{"user_id": "b", "trust_level": 0.5}');
  symlinkSync(elsewhere, join(folder, "empathy_state", "more"));
  expect(await migrate(folder)).toMatchObject({ exit_code: 0, state_directories: [{ entries: 2 }] });
});

test("accepts links inside the target, dangling links, and links to other files", async () => {
  const [folder, elsewhere] = [freshFolder(), freshFolder()];
  makeDatabase(join(folder, "m.db"), DOCUMENTED_15);
  writeFileSync(join(elsewhere, "notes.txt"), "notes");
  symlinkSync("m.db", join(folder, "current.db"));
  symlinkSync("gone.db", join(folder, "gone.db"));
  symlinkSync(join(elsewhere, "notes.txt"), join(folder, "notes.txt"));
  const report = await migrate(folder);
  expect(report).toMatchObject({ exit_code: 0, databases: [{ path: join(folder, "m.db"), status: "migrated" }] });
});

test("follows a link that is a target", async () => {
  const [folder, elsewhere] = [freshFolder(), freshFolder()];
  makeDatabase(join(elsewhere, "m.db"), DOCUMENTED_15);
  symlinkSync(join(elsewhere, "m.db"), join(folder, "link.db"));
  expect(await planMigration(join(folder, "link.db"))).toMatchObject({
    exit_code: 0,
    databases: [{ path: join(elsewhere, "m.db"), status: "planned" }],
  });
});

test("recognises state directories of any name, but not look-alikes", async () => {
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

test("ignores and removes the temporary link that a killed writer left", async () => {
  const folder = freshFolder();
  const [database, leftover] = [join(folder, "m.db"), join(folder, ".m.db.0123abcd-999999-0a1b2c3d.perdura-tmp")];
  makeDatabase(database, DOCUMENTED_15);
  linkSync(database, leftover);
  // Another program may still be using that name.
  expect(await planMigration(folder)).toMatchObject({ exit_code: 3, databases: [{ status: "refused" }] });
  utimesSync(database, 0, 0);
  expect(await planMigration(folder)).toMatchObject({ exit_code: 0, databases: [{ status: "planned" }] });
  expect(existsSync(leftover)).toBe(true);
  expect(await migrate(folder)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  expect(existsSync(leftover)).toBe(false);
  // A second name elsewhere counts as before, whatever other files are next to the database.
  writeFileSync(leftover, "of another file");
  utimesSync(leftover, 0, 0);
  linkSync(database, join(freshFolder(), ".m.db.0123abcd-999999-0a1b2c3d.perdura-tmp"));
  utimesSync(database, 0, 0);
  expect((await downgradeMigration(folder)).databases[0]?.reason).toContain("2 hard links");
});
