import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

/**
 * A folder that every user may enter, with a database and states of the given modes; and all modes of copies that were
 * seen during the migration.
 */
async function migrated(
  database: number,
  states: number,
  state: number,
  journal: string,
): Promise<{ folder: string; atWork: Set<string> }> {
  const folder = freshFolder();
  chmodSync(folder, 0o755);
  const directory = join(folder, "empathy_state");
  mkdirSync(directory);
  writeFileSync(join(directory, "alice.json"), '{"user_id": "alice", "trust_level": 0.5}', { mode: 0o600 });
  chmodSync(join(directory, "alice.json"), state);
  chmodSync(directory, states);
  const path = join(folder, "m.db");
  makeDatabase(path, `PRAGMA journal_mode = ${journal}; ${DOCUMENTED_15}`);
  addRows(path, "interactions", 10);
  chmodSync(path, database);
  const atWork = new Set<string>();
  const onProgress = (): void => {
    for (const name of readdirSync(folder).filter((entry) => entry.includes(".perdura-tmp")))
      atWork.add(modeOf(join(folder, name)));
  };
  expect(await migrate(folder, { onProgress })).toMatchObject({ exit_code: 0 });
  return { folder, atWork };
}

test.each([
  { database: 0o600, states: 0o700, state: 0o644, archive: "600", backup: "600", report: "600" },
  { database: 0o644, states: 0o700, state: 0o644, archive: "600", backup: "644", report: "600" },
  { database: 0o644, states: 0o755, state: 0o600, archive: "600", backup: "644", report: "600" },
  { database: 0o640, states: 0o755, state: 0o644, archive: "644", backup: "640", report: "640" },
  { database: 0o644, states: 0o777, state: 0o666, archive: "644", backup: "644", report: "644" },
])("grants no user more access than before: %j", async ({ database, states, state, archive, backup, report }) => {
  for (const journal of ["delete", "wal"]) {
    const { folder, atWork } = await migrated(database, states, state, journal);
    expect({
      archive: modeOf(join(folder, "empathy_state.v15.sqlar")),
      backup: modeOf(join(folder, "m.db.v15.bak")),
      report: modeOf(join(folder, "perdura-migration-report.json")),
    }).toEqual({ archive, backup, report });
    expect([...atWork].filter((mode) => !["600", backup, archive].includes(mode))).toEqual([]);
  }
});
