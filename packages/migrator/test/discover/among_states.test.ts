import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planMigration, pruneMigration, downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, connect, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

const STATE = '{"user_id": "alice", "trust_level": 0.5}';

/** A directory of states two levels below another one, with a database at a path in it. */
function statesWith(...inner: string[]): { folder: string; states: string; path: string } {
  const folder = freshFolder();
  const states = join(folder, "app", "empathy_state");
  const place = join(states, ...inner);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(states, "alice.json"), STATE);
  makeDatabase(join(place, "metrics.db"), FIELD_A);
  addRows(join(place, "metrics.db"), "metrics", 5);
  return { folder, states, path: join(place, "metrics.db") };
}

test.each([
  ["far below the target", ["x", "y", "z", "1", "2", "3"]],
  ["in a directory that is passed over elsewhere", ["node_modules", "p"]],
])("does not archive a database inside a state directory: %s", async (_where, inner) => {
  const { folder, states, path } = statesWith(...inner);
  expect(await migrate(folder)).toMatchObject({ exit_code: 0, databases: [{ path, status: "migrated" }] });
  for (const target of [folder, join(folder, "app"), states])
    expect(await verifyMigration(target)).toMatchObject({
      exit_code: 0,
      databases: [{ path, status: "verified" }],
      state_directories: [{ status: "verified" }],
    });
  expect(await pruneMigration(folder)).toMatchObject({ exit_code: 0, state_directories: [{ status: "pruned" }] });
  expect(existsSync(join(states, "alice.json"))).toBe(false);
  expect(query(path, "SELECT count(*) FROM interactions")).toEqual([[5n]]);
  // The directories on the path to the database still exist; an archive of them would hide the one with the states.
  expect(await migrate(folder)).toMatchObject({ exit_code: 0, state_directories: [{ status: "nothing_to_do" }] });
  expect(await downgradeMigration(folder)).toMatchObject({ exit_code: 0, state_directories: [{ status: "restored" }] });
  expect(existsSync(join(states, "alice.json"))).toBe(true);
});

test("does not archive the journals and logs of such a database", async () => {
  const { folder, states, path } = statesWith("x", "y", "z");
  const open = connect(path);
  open.pragma("journal_mode = wal");
  open.exec("UPDATE metrics SET success = 1");
  try {
    expect(existsSync(`${path}-wal`)).toBe(true);
    const { state_directories: found } = await planMigration(folder);
    // A state and three directories.
    expect(found).toMatchObject([{ path: states, entries: 4 }]);
  } finally {
    open.close();
  }
});

test("searches a directory of --states for databases, even outside the targets", async () => {
  const folder = freshFolder();
  const [users, data] = [join(folder, "users"), join(folder, "data")];
  for (const place of [join(users, "x"), data]) mkdirSync(place, { recursive: true });
  writeFileSync(join(users, "notes.json"), "{}");
  makeDatabase(join(users, "x", "m.db"), FIELD_A);
  for (const target of [data, folder])
    expect(await planMigration(target, { stateDirectories: [users] })).toMatchObject({
      databases: [{ path: join(users, "x", "m.db") }],
      state_directories: [{ path: users, entries: 2 }],
    });
});

test("gives the same result for any order of targets", async () => {
  const { folder, states, path } = statesWith("x");
  writeFileSync(join(states, "x", "notes.txt"), "notes");
  for (const targets of [
    [folder, path],
    [path, folder],
    [join(states, "x"), folder],
  ])
    expect(await planMigration(targets)).toMatchObject({
      databases: [{ path }],
      state_directories: [{ path: states, entries: 3 }],
    });
});

test("reports a state file with a temporary name, and does not archive it", async () => {
  const folder = freshFolder();
  const states = join(folder, "empathy_state");
  mkdirSync(states);
  writeFileSync(join(states, "alice.json"), STATE);
  const path = join(states, ".x.deadbeef-99999-ab12cd34.perdura-tmp");
  writeFileSync(path, "mine");
  const expected = { left_alone: [{ path, reason: expect.stringContaining("not archived") }] };
  expect(await planMigration(folder)).toMatchObject(expected);
  expect(await migrate(folder)).toMatchObject({ exit_code: 0, ...expected });
  expect(existsSync(path)).toBe(true);
});
