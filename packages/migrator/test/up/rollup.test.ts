import { openMetrics } from "@perdura/internals/metrics/open_metrics.js";
import { rollupStatistics } from "@perdura/internals/metrics/rollup/rollup_statistics.js";
import type { LevelColumn } from "@perdura/internals/metrics/schema.js";
import { join } from "node:path";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { expect, test } from "vitest";
import { pruneMigration, downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { connect, query } from "../../../../test/legacy/legacy_database.ts";

/** Enough rows for a rollup. */
const ROWS = 6000;

const record = (index: number): Pick<v16.InteractionRecord, "user_id" | "success" | "response_time_ms"> => ({
  user_id: `u${index % 7}`,
  success: index % 3 > 0,
  response_time_ms: index / 7,
});

/** A database of version 15 with a rollup. */
function databaseWithRollup(): string {
  const path = join(freshFolder(), "metrics.db");
  using collector = new v15.MetricsCollector(path);
  collector.recordMany(
    Array.from({ length: ROWS }, (_, index) => ({ ...record(index), empathy_level: 1 + (index % 5) })),
  );
  foldAll(path, "empathy_level");
  expect(folded(path)).toBe(BigInt(ROWS));
  return path;
}

/** Folds all rows. A question folds some of them, and reads the last ones. */
function foldAll(path: string, levelColumn: LevelColumn): void {
  const database = openMetrics(path, levelColumn, {});
  rollupStatistics(database, levelColumn).foldAll();
  database.close();
}

const folded = (path: string): unknown => query(path, "SELECT sum(operations) FROM perdura_user_rollup").flat()[0];

/** The current rollup, with the schema version that it is for. */
const rollup = (path: string): unknown[] => [
  query(path, "SELECT watermark, operations, users FROM perdura_rollup"),
  query(path, "SELECT * FROM perdura_user_rollup"),
];

const isKept = (path: string): boolean =>
  query(path, "SELECT schema_version = (SELECT * FROM pragma_schema_version) FROM perdura_rollup").flat()[0] === 1n;

test("keeps the rollup in a migration and a downgrade", async () => {
  const path = databaseWithRollup();
  using before = new v15.MetricsCollector(path);
  const [global, user, kept] = [before.getGlobalStats(), before.getUserStats("u3"), rollup(path)];
  before.close();
  expect(await migrate(path)).toMatchObject({
    exit_code: 0,
    databases: [{ status: "migrated", verification: { other_tables: [], differences: [] } }],
  });
  expect([isKept(path), rollup(path)]).toEqual([true, kept]);
  using after = new v16.MetricsCollector(path);
  expect([after.getGlobalStats(), after.getUserStats("u3")]).toEqual([global, user]);
  // A program continues it; that is neither a difference nor a reason to keep the backup.
  after.recordMany(Array.from({ length: ROWS }, (_, index) => ({ ...record(index), level: 2 })));
  expect(after.getGlobalStats().total_interactions).toBe(2 * ROWS);
  foldAll(path, "level");
  expect(folded(path)).toBe(BigInt(2 * ROWS));
  after.close();
  expect(await verifyMigration(path)).toMatchObject({
    exit_code: 0,
    databases: [
      {
        status: "verified",
        verification: { other_tables: [], rows_added_since: ROWS },
        notes: ["the rollup agrees with the rows, for 7 users"],
      },
    ],
  });
  expect(await pruneMigration(path, { pruneBackups: true, dryRun: true })).toMatchObject({
    databases: [{ status: "planned" }],
  });
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "downgraded" }] });
  expect(isKept(path)).toBe(true);
  using repeated = new v15.MetricsCollector(path);
  expect(repeated.getGlobalStats().total_interactions).toBe(2 * ROWS);
  expect(repeated.getUserStats("u3")).toMatchObject({ total_operations: 2 * user.total_operations });
});

test("leaves no wrong rollup if rows are quarantined or merged", async () => {
  const path = databaseWithRollup();
  const other = connect(path);
  other.exec(`UPDATE interactions SET empathy_level = 9 WHERE id = 10;
    CREATE TABLE metrics (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, empathy_level INTEGER NOT NULL,
      success BOOLEAN NOT NULL, response_time_ms REAL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, metadata TEXT);
    INSERT INTO metrics (user_id, empathy_level, success, response_time_ms) VALUES ('u3', 5, 1, 1e6), ('new', 1, 0, 5)`);
  other.close();
  using before = new v15.MetricsCollector(path);
  expect(before.getGlobalStats().total_interactions).toBe(ROWS);
  before.close();
  foldAll(path, "empathy_level");
  // It is valid for this schema, and changes of the rows by the migration are tracked.
  expect([isKept(path), folded(path)]).toEqual([true, BigInt(ROWS)]);
  expect(await migrate(path, { invalidRows: "quarantine" })).toMatchObject({
    exit_code: 0,
    databases: [{ status: "migrated", verification: { rows_quarantined: 1 } }],
  });
  using collector = new v16.MetricsCollector(path);
  expect(collector.getGlobalStats()).toMatchObject({ total_interactions: ROWS + 1, total_users: 8 });
  for (const user of collector.getAllUsers()) {
    const [[count, sum]] = query(
      path,
      `SELECT count(*), avg(response_time_ms) FROM interactions WHERE user_id = '${user}'`,
    ) as [[bigint, number]];
    const stats = collector.getUserStats(user);
    expect(stats.total_operations).toBe(Number(count));
    expect(stats.avg_response_time_ms).toBeCloseTo(sum, 6);
  }
});

test("verify finds a wrong rollup, with and without a backup", async () => {
  const path = databaseWithRollup();
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 1, databases: [{ status: "not_compared" }] });
  const other = connect(path);
  other.exec("UPDATE perdura_user_rollup SET level_2_count = level_2_count + 1 WHERE user_id = 'u4'");
  expect(await verifyMigration(path)).toMatchObject({
    exit_code: 4,
    databases: [
      { status: "differs", reason: expect.stringContaining('the totals of the user "u4" differ from the rows') },
    ],
  });
  await migrate(path);
  expect(await verifyMigration(path)).toMatchObject({
    exit_code: 4,
    databases: [
      { status: "differs", verification: { differences: [expect.stringContaining("DROP TABLE perdura_rollup")] } },
    ],
  });
  // As the message advises.
  other.exec("DROP TABLE perdura_rollup");
  other.close();
  using collector = new v16.MetricsCollector(path);
  expect(collector.getUserStats("u4").level_2_count).toBe(172);
  collector.close();
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
});

test("compares a table of the user with the name of a rollup table like any other", async () => {
  const path = join(freshFolder(), "metrics.db");
  using collector = new v15.MetricsCollector(path);
  collector.recordMetric("u", 1, true, 1);
  collector.close();
  const other = connect(path);
  other.exec("CREATE TABLE perdura_user_rollup (mine); INSERT INTO perdura_user_rollup VALUES (1), (2)");
  other.close();
  const { databases } = await migrate(path);
  expect(databases[0]?.verification?.other_tables).toEqual([
    { table: "perdura_user_rollup", rows: 2, quarantined: 0, repaired: 0, changed_since: 0 },
  ]);
});
