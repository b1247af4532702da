import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { comparable, contentOf, type DatabaseContent } from "../../../../fixtures/database_content.ts";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import {
  type MigrationOptions,
  type MigrationReport,
  migrationStatus,
  planMigration,
  pruneMigration,
  downgradeMigration,
  type StateDirectoryReport,
  verifyMigration,
} from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { connect } from "../../../../test/legacy/legacy_database.ts";
import { copyDatabase, LEGACY_NAMES, layOutLegacy, legacyAnswers } from "../../../../test/legacy/legacy_fixtures.ts";

const OPTIONS: MigrationOptions = {
  invalidRows: "quarantine",
  nonFinite: "null",
  missingLevel: 3,
  saveReport: false,
};

/** Databases that no set of options migrates are left out: one refusal prevents all changes. */
const names = LEGACY_NAMES.filter((name) => legacyAnswers(name).migrated.at(-1)?.outcome !== "refused");

/** Contents, read from copies; only the time of the migration may differ between two runs. */
function contents(folder: string): Record<string, DatabaseContent> {
  const copies = freshFolder();
  return Object.fromEntries(
    names.map((name) => {
      const copy = join(copies, `${name}.db`);
      copyDatabase(join(folder, `${name}.db`), copy);
      const database = connect(copy);
      const content = JSON.stringify(comparable(contentOf(database))).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "(a time)");
      database.close();
      return [name, JSON.parse(content) as DatabaseContent];
    }),
  );
}

const statuses = (report: MigrationReport): string[] =>
  [...new Set([...report.databases, ...report.state_directories].map(({ status }) => status))].toSorted();

/** Fields of a plan about a directory of states that `up` must repeat. */
const promised = (report: StateDirectoryReport): Partial<StateDirectoryReport> => ({
  path: report.path,
  entries: report.entries,
  bytes: report.bytes,
  states_ok: report.states_ok,
  states_unusual: report.states_unusual,
  states_broken: report.states_broken,
  notes: report.notes,
});

test("migrates, downgrades and migrates a directory with all kinds of data; reading and rehearsing change no byte", async () => {
  const folder = freshFolder();
  for (const name of names) layOutLegacy(name, folder);
  layOutStates("field", join(folder, "empathy_state"));
  layOutStates("broken", join(folder, "attune_state"));
  const before = contents(folder);
  /** State after the last run that could change something. */
  let stamp = stampOf(folder);
  const unchangedBy = async (work: () => Promise<MigrationReport>): Promise<MigrationReport> => {
    const report = await work();
    expect(stampOf(folder)).toBe(stamp);
    expect(report.exit_code, report.summary).toBe(0);
    return report;
  };
  const changedBy = async (work: () => Promise<MigrationReport>): Promise<MigrationReport> => {
    const report = await work();
    expect(report).toMatchObject({ exit_code: 0 });
    stamp = stampOf(folder);
    return report;
  };

  const plan = await unchangedBy(() => planMigration(folder, OPTIONS));
  await unchangedBy(() => migrationStatus(folder));
  const rehearsed = await unchangedBy(() => migrate(folder, { ...OPTIONS, rehearse: true }));
  expect(statuses(rehearsed)).toEqual(["left_alone", "rehearsed"]);
  const up = await changedBy(() => migrate(folder, OPTIONS));
  for (const report of [rehearsed, up]) {
    expect(report.databases.map(({ steps }) => steps)).toEqual(plan.databases.map(({ steps }) => steps));
    expect(report.state_directories.map(promised)).toEqual(plan.state_directories.map(promised));
  }
  expect(statuses(up)).toEqual(["archived", "left_alone", "migrated"]);
  const after = contents(folder);

  await unchangedBy(() => planMigration(folder, OPTIONS));
  await unchangedBy(() => migrationStatus(folder));
  await unchangedBy(() => verifyMigration(folder));
  await unchangedBy(() => migrate(folder, { ...OPTIONS, rehearse: true }));
  await unchangedBy(() => migrate(folder, OPTIONS));
  await unchangedBy(() => downgradeMigration(folder, { dryRun: true }));
  await unchangedBy(() => pruneMigration(folder, { dryRun: true, pruneBackups: true }));
  await changedBy(() => downgradeMigration(folder, { saveReport: false }));
  for (const [name, { tables }] of Object.entries(contents(folder))) expect(tables, name).toEqual(before[name]?.tables);
  await unchangedBy(() => planMigration(folder, OPTIONS));
  await unchangedBy(() => downgradeMigration(folder, { saveReport: false }));

  await changedBy(() => migrate(folder, OPTIONS));
  for (const [name, { tables }] of Object.entries(contents(folder)))
    expect(tables["interactions"], name).toEqual(after[name]?.tables["interactions"]);
  expect(existsSync(join(folder, "empathy_state.v15.2.sqlar"))).toBe(false);
  await unchangedBy(() => verifyMigration(folder));
});
