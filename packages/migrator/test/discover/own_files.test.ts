import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, connect, DOCUMENTED_15, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

const STATE = '{"user_id": "alice", "trust_level": 0.5}';

/** The names in an archive. */
function archived(archive: string): string[] {
  const database = connect(archive, { readonly: true });
  try {
    return database.prepare("SELECT name FROM sqlar ORDER BY name").pluck().all() as string[];
  } finally {
    database.close();
  }
}

/** A directory of states that also contains other files. */
function directoryOfStates(files: Record<string, string>): string {
  const directory = join(freshFolder(), "data");
  mkdirSync(directory);
  for (const [name, text] of Object.entries({ "alice.json": STATE, ...files }))
    writeFileSync(join(directory, name), text);
  return directory;
}

test.each(["delete", "wal"])(
  "does not archive a database (%s) inside a state directory, nor its backup",
  async (journal) => {
    const directory = directoryOfStates({});
    const path = join(directory, "metrics.db");
    makeDatabase(path, `PRAGMA journal_mode = ${journal}; ${FIELD_A}`);
    addRows(path, "metrics", 20);
    expect(await migrate(directory)).toMatchObject({
      exit_code: 0,
      databases: [{ backup: { path: `${path}.v15.bak` } }],
    });
    expect(archived(`${directory}.v15.sqlar`)).toEqual(["alice.json"]);
    expect(await verifyMigration(directory)).toMatchObject({
      exit_code: 0,
      state_directories: [{ status: "verified", differences: [] }],
    });
    expect(await migrate(directory)).toMatchObject({ exit_code: 0, state_directories: [{ status: "nothing_to_do" }] });
  },
);

test("does not archive a report next to a database inside a state directory", async () => {
  const directory = directoryOfStates({});
  makeDatabase(join(directory, "metrics.db"), DOCUMENTED_15);
  const { report_path: path } = await migrate(join(directory, "metrics.db"));
  expect(path).toBe(join(directory, "perdura-migration-report.json"));
  await migrate(directory);
  expect(archived(`${directory}.v15.sqlar`)).toEqual(["alice.json"]);
});

test("archives a state or file that only has a name like a backup or archive", async () => {
  const names = [
    ".a.0123abcd-1-zz.perdura-tmp",
    "bob.perdura-tmp.json",
    "gone.db.v15.bak",
    "notes.v15.sqlar",
    "perdura-migration-report-2.json",
    "perdura-migration-report-fan.json",
    "perdura-migration-report.json",
  ];
  const directory = directoryOfStates(Object.fromEntries(names.map((name) => [name, STATE])));
  expect(await migrate(directory)).toMatchObject({ exit_code: 0, state_directories: [{ states_ok: 5 }] });
  expect(archived(`${directory}.v15.sqlar`).toSorted()).toEqual([...names, "alice.json"].toSorted());
  // No command reports a lost database or directory.
  for (const target of [directory, join(directory, "..")])
    expect(await verifyMigration(target)).toMatchObject({
      exit_code: 0,
      databases: [],
      state_directories: [{ status: "verified" }],
    });
});

test("reports a backup without its database and an archive without its directory", async () => {
  const directory = directoryOfStates({});
  const path = join(directory, "metrics.db");
  makeDatabase(path, FIELD_A);
  mkdirSync(join(directory, "empathy_state"));
  writeFileSync(join(directory, "empathy_state", "bob.json"), STATE);
  await migrate(directory);
  rmSync(path);
  rmSync(join(directory, "empathy_state"), { recursive: true });
  expect(await verifyMigration(directory)).toMatchObject({
    exit_code: 4,
    databases: [{ path, status: "differs" }],
    state_directories: [{ path: directory }, { path: join(directory, "empathy_state"), status: "not_compared" }],
  });
});

test("does not archive the temporary file of a killed writer", async () => {
  const directory = directoryOfStates({ ".alice.json.0123abcd-999999-0a1b2c3d.perdura-tmp": STATE });
  await migrate(directory);
  expect(archived(`${directory}.v15.sqlar`)).toEqual(["alice.json"]);
});

test("archives a nested state directory separately", async () => {
  const directory = directoryOfStates({});
  const inner = join(directory, "empathy_state");
  mkdirSync(inner);
  writeFileSync(join(inner, "bob.json"), STATE);
  const report = await migrate(directory);
  expect(report.state_directories.map(({ path }) => basename(path))).toEqual(["data", "empathy_state"]);
  expect(archived(`${directory}.v15.sqlar`)).toEqual(["alice.json"]);
  expect(archived(`${inner}.v15.sqlar`)).toEqual(["bob.json"]);
  expect(await planMigration(directory)).toMatchObject({
    exit_code: 0,
    state_directories: [{ status: "nothing_to_do" }, { status: "nothing_to_do" }],
  });
});
