import { mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { contentOf, type DatabaseContent } from "../../../../fixtures/database_content.ts";
import { type MigrationOptions, planMigration, downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { copyDatabase } from "../../../../test/legacy/legacy_fixtures.ts";
import { expectSameDatabase } from "../golden/expect_migrated.ts";
import { connect } from "../../../../test/legacy/legacy_database.ts";
import { expectHolds, expectNothingLost } from "./expect_nothing_lost.ts";
import { randomDatabase, randomOptions, writeRandomDatabase } from "./random_database.ts";
import { RUNS, TIMEOUT_MS } from "./runs.ts";

/** Reads databases from copies. */
function contentsOf(paths: readonly string[]): Map<string, DatabaseContent> {
  const copy = join(freshFolder(), "copy.db");
  return new Map(
    paths.map((path) => {
      for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(`${copy}${suffix}`, { force: true });
      copyDatabase(path, copy);
      const database = connect(copy);
      const content = contentOf(database);
      database.close();
      return [path, content];
    }),
  );
}

/** The user's own objects whose statistics or texts may follow a rename; all others stay verbatim. */
const userTables = (content: DatabaseContent): [string, unknown][] =>
  Object.entries(content.tables).filter(([name]) => name.startsWith("my_"));

let planned = 0;
let refused = 0;

/** Migrates, downgrades and migrates again the databases of a directory. */
async function roundTrip(folder: string, options: MigrationOptions): Promise<void> {
  const before = stampOf(folder);
  const plan = await planMigration(folder, options);
  expect(stampOf(folder)).toBe(before);
  for (const { path, status, reason } of plan.databases) {
    planned += 1;
    if (status !== "refused") continue;
    // Needs a decision: checked by name, and removed so that the others can continue.
    refused += 1;
    expect(reason).toMatch(/./);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
  }
  const rest = plan.databases.filter(({ status }) => status === "planned");
  const paths = rest.map(({ path }) => path);
  const originals = contentsOf(paths);
  const up = await migrate(folder, options);
  expect(up.databases.map(({ path, status, reason }) => [basename(path), status, reason])).toEqual(
    paths.map((path) => [basename(path), "migrated", null]),
  );
  expect(up.databases.map(({ steps }) => steps)).toEqual(rest.map(({ steps }) => steps));
  const migrated = contentsOf(paths);
  for (const report of up.databases) {
    const [was, is] = [originals.get(report.path), migrated.get(report.path)];
    if (was === undefined || is === undefined) throw new Error(`${report.path} was not read.`);
    expectNothingLost(was, is, report);
    expectHolds(is);
    expect(userTables(is)).toEqual(userTables(was));
  }
  const after = stampOf(folder);
  // Comparing nothing is not a success.
  if (options.backup !== false) expect((await verifyMigration(folder)).exit_code).toBe(paths.length > 0 ? 0 : 1);
  expect((await migrate(folder, options)).exit_code).toBe(0);
  expect(stampOf(folder)).toBe(after);
  const down = await downgradeMigration(folder, { saveReport: false });
  expect(down.databases.map(({ path, status, reason }) => [basename(path), status, reason])).toEqual(
    paths.map((path) => [basename(path), "downgraded", null]),
  );
  const downgraded = contentsOf(paths);
  for (const path of paths) expectSameDatabase(downgraded.get(path), originals.get(path) as DatabaseContent);
  expect((await migrate(folder, options)).exit_code).toBe(0);
  const repeated = contentsOf(paths);
  for (const path of paths)
    expect(repeated.get(path)?.tables["interactions"]).toEqual(migrated.get(path)?.tables["interactions"]);
}

test(
  "up keeps any pre-16 database, verify confirms it, and down restores it exactly",
  {
    timeout: TIMEOUT_MS,
  },
  async () => {
    const folder = freshFolder();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(randomDatabase, { minLength: 1, maxLength: 8 }),
        randomOptions,
        async (databases, options) => {
          const place = join(folder, String((run += 1)));
          mkdirSync(place);
          for (const [index, database] of databases.entries())
            writeRandomDatabase(join(place, `${index}.db`), database);
          await roundTrip(place, { invalidRows: "quarantine", saveReport: false, ...options });
          rmSync(place, { recursive: true });
        },
      ),
      { numRuns: RUNS * 10, endOnFailure: true },
    );
    // Most of the generated databases can be migrated: otherwise nothing would be tested.
    expect(refused).toBeLessThan(planned / 4);
  },
);
