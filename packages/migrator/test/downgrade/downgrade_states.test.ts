import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, connect, DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { schemaErrors } from "../support/report_schema.ts";
import { wholeContent } from "../support/whole_content.ts";

test("downgrades databases and restores state directories in one run", async () => {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, DOCUMENTED_15);
  addRows(path, "interactions", 12);
  const states = join(folder, "empathy_state");
  layOutStates("field", states);
  const [before, statesBefore] = [wholeContent(path), stampOf(states)];
  await migrate(folder);
  rmSync(states, { recursive: true });
  const stamp = stampOf(folder);
  expect(await downgradeMigration(folder, { dryRun: true })).toMatchObject({
    exit_code: 0,
    databases: [{ status: "planned" }],
    state_directories: [{ path: states, status: "planned" }],
  });
  expect(stampOf(folder)).toBe(stamp);
  const report = await downgradeMigration(folder);
  expect(report).toMatchObject({
    exit_code: 0,
    summary: "Done: 1 downgraded, 1 restored.",
    databases: [{ status: "downgraded" }],
    state_directories: [{ path: states, status: "restored" }],
    report_path: expect.stringContaining("perdura-migration-report"),
  });
  expect(schemaErrors(report)).toEqual([]);
  expect(wholeContent(path)).toEqual(before);
  expect(stampOf(states)).toBe(statesBefore);
  expect(await downgradeMigration(folder)).toMatchObject({
    exit_code: 0,
    databases: [{ status: "nothing_to_do" }],
    state_directories: [{ status: "nothing_to_do" }],
  });
});

test.each([
  ["once", false, 1],
  ["again if it changed since", true, 2],
] as const)("an archive is checked %s before its directory is restored", async (_what, isChanged, checks) => {
  const folder = freshFolder();
  makeDatabase(join(folder, "m.db"), DOCUMENTED_15);
  const states = join(folder, "empathy_state");
  layOutStates("field", states);
  await migrate(folder);
  rmSync(states, { recursive: true });
  const details: string[] = [];
  const report = await downgradeMigration(folder, {
    onProgress: ({ stage, detail }) => {
      // Between the plan and the restoration.
      if (stage === "lock" && isChanged) utimesSync(`${states}.v15.sqlar`, 0, 0);
      details.push(detail);
    },
  });
  expect(report).toMatchObject({ exit_code: 0, state_directories: [{ status: "restored" }] });
  expect(details.filter((detail) => detail === "checking the archive")).toHaveLength(checks);
});

test("does not treat the backup of version 16 as part of the states next to it", async () => {
  const directory = join(freshFolder(), "data");
  mkdirSync(directory);
  writeFileSync(join(directory, "alice.json"), '{"user_id": "alice", "trust_level": 0.5}');
  makeDatabase(join(directory, "m.db"), DOCUMENTED_15);
  addRows(join(directory, "m.db"), "interactions", 12);
  await migrate(directory);
  await downgradeMigration(directory);
  expect(await verifyMigration(directory)).toMatchObject({ exit_code: 0, state_directories: [{ status: "verified" }] });
  // The name decides, and the existence of the database: a new archive omits it like the first.
  writeFileSync(join(directory, "bob.json"), '{"user_id": "bob", "trust_level": 0.5}');
  await migrate(directory);
  const archive = connect(`${directory}.v15.2.sqlar`, { readonly: true });
  expect(archive.prepare("SELECT name FROM sqlar ORDER BY name").pluck().all()).toEqual(["alice.json", "bob.json"]);
  archive.close();
});

test("reports nothing as restored if another file is in the place", async () => {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, DOCUMENTED_15);
  addRows(path, "interactions", 12);
  const states = join(folder, "empathy_state");
  layOutStates("field", states);
  await migrate(folder);
  rmSync(states, { recursive: true });
  const database = connect(path);
  database.exec("ALTER TABLE interactions ADD COLUMN mood");
  database.close();
  expect(await downgradeMigration(folder)).toMatchObject({
    exit_code: 3,
    databases: [{ status: "refused" }],
    state_directories: [{ path: states, status: "not_started", restored: 0 }],
  });
});
