import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Session } from "../../src/commands/session.ts";
import { settingsFrom } from "../../src/commands/settings.ts";
import { planDatabaseDowngrade, downgradeDatabase } from "../../src/database/downgrade/downgrade_database.ts";
import { migrateDatabase, rehearseDatabase } from "../../src/database/migrate_database.ts";
import { planDatabase } from "../../src/database/inspect/plan_database.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

/** Only a reused inspection has this note. */
const NOTE = "found by the plan";

function documented(journal: "DELETE" | "WAL"): { path: string; bytes: number; wal: boolean; refusal: null } {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, `PRAGMA journal_mode = ${journal}; ${DOCUMENTED_15}`);
  addRows(path, "interactions", 20);
  return { path, bytes: 0, wal: journal === "WAL", refusal: null };
}

function session(): Session {
  const run = new Session(settingsFrom());
  onTestFinished(() => run[Symbol.dispose]());
  return run;
}

test("up inspects a database once, before the lock", async () => {
  const { path } = documented("DELETE");
  const stages: string[] = [];
  await migrate(path, { onProgress: ({ stage }) => void stages.push(stage) });
  expect(stages.filter((stage) => stage === "inspect")).toHaveLength(1);
  expect(stages.indexOf("inspect")).toBeLessThan(stages.indexOf("lock"));
});

describe.each([
  ["is reused while the database is unchanged", "DELETE", 0, true],
  ["is repeated if rows were added", "DELETE", 1, false],
  ["is repeated with a write-ahead log, which hides added rows", "WAL", 0, false],
] as const)("the inspection of the plan %s", (_what, journal, added, isUsed) => {
  test.each([
    ["up", migrateDatabase, "migrated"],
    ["a rehearsal", rehearseDatabase, "rehearsed"],
  ] as const)("by %s", async (_command, change, status) => {
    const [found, run] = [documented(journal), session()];
    const report = await planDatabase(found, run);
    run.inspected.get(found.path)?.found.notes.push(NOTE);
    if (added > 0) addRows(found.path, "interactions", added);
    report.status = "not_started";
    await change(found, report, run);
    expect(report).toMatchObject({ status, tables: [{ rows: 20 + added }] });
    expect(report.notes.includes(NOTE)).toBe(isUsed);
  });

  test("by down", async () => {
    const [found, run] = [documented(journal), session()];
    await migrate(found.path);
    const report = await planDatabaseDowngrade(found, run);
    run.downgrades.get(found.path)?.found.notes.push(NOTE);
    if (added > 0) makeDatabase(found.path, "DELETE FROM interactions WHERE id = 3");
    report.status = "not_started";
    await downgradeDatabase(found, report, run);
    expect(report).toMatchObject({ status: "downgraded", tables: [{ rows: 20 - added }] });
    expect(report.notes.includes(NOTE)).toBe(isUsed);
  });
});
