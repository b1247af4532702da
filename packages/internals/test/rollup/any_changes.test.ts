import { rmSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import fc from "fast-check";
import { expect, it } from "vitest";
import { openMetrics } from "../../src/metrics/open_metrics.ts";
import { breakdownQueries } from "../../src/metrics/breakdown/breakdown_queries.ts";
import { percentileQueries } from "../../src/metrics/breakdown/percentile_queries.ts";
import { auditRollup } from "../../src/metrics/rollup/audit.ts";
import { type RollupStatistics, rollupStatistics } from "../../src/metrics/rollup/rollup_statistics.ts";
import type { OverviewQueries } from "../../src/metrics/overview_stats.ts";
import { overviewQueries } from "../../src/metrics/overview.ts";
import { type CollectorQueries, statisticsQueries } from "../../src/metrics/statistics.ts";
import type { Database } from "../../src/sqlite/open_database.ts";
import { LENIENT_TABLE, rowChange, schemaChange } from "./foreign_changes.ts";
import { BREAKDOWN_KEYS, differences } from "./compare.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const folder = freshFolder();
const RUNS = Number(process.env["PERDURA_RUNS"] ?? 1) * 40;
const OTHERS = ["a", "b", "nobody", "5"];

/** A step: SQL of another program, or an operation of perdura. */
type Step = { sql: string } | { asks: 0 | 1; what: "everything" | "user" | "fold" };

const steps = (change: fc.Arbitrary<string>): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      { weight: 3, arbitrary: change.map((sql) => ({ sql })) },
      {
        weight: 1,
        arbitrary: fc.record({ asks: fc.constantFrom(0, 1), what: fc.constantFrom("everything", "user", "fold") }),
      },
    ) as fc.Arbitrary<Step>,
    { minLength: 5, maxLength: 40, size: "max" },
  );

interface Open {
  database: Database;
  rollup: RollupStatistics;
  plain: CollectorQueries & OverviewQueries;
}

let files = 0;

function withDatabase(use: (opened: [Open, Open], foreign: Database) => void): void {
  const path = join(folder, `${(files += 1)}.db`);
  const foreign = new Sqlite(path);
  foreign.exec(LENIENT_TABLE);
  const opened = [3, 5].map((threshold): Open => {
    const database = openMetrics(path, "level", { durability: "normal", keys: BREAKDOWN_KEYS });
    const limits = {
      threshold,
      piece: threshold,
      sliceMs: 0,
      budgetMs: threshold === 3 ? 0 : 1000,
      exactUpTo: 2,
      fewestUsers: 1,
    };
    return {
      database,
      rollup: rollupStatistics(database, "level", limits),
      plain: {
        ...statisticsQueries(database, "level"),
        ...overviewQueries(database, "level"),
        ...breakdownQueries(database, 2),
        ...percentileQueries(database, 2),
      },
    };
  }) as [Open, Open];
  try {
    use(opened, foreign);
  } finally {
    for (const { database } of opened) database.close();
    foreign.close();
    for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
  }
}

/** Runs SQL of another program, which has the original SQL of the triggers; refused SQL has no effect. */
function run(foreign: Database, sql: string): void {
  const triggers = foreign.prepare("SELECT sql FROM sqlite_schema WHERE type = 'trigger'").pluck().all();
  try {
    foreign.exec(sql.replace("@TRIGGERS", triggers.join(";\n")));
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
    if (foreign.inTransaction) foreign.exec("ROLLBACK");
  }
  foreign.exec("DROP TABLE IF EXISTS temp.saved");
}

let folded = 0;

function check(all: Step[]): void {
  withDatabase((opened, foreign) => {
    for (const step of all) {
      if ("sql" in step) {
        run(foreign, step.sql);
        continue;
      }
      const { rollup, plain, database } = opened[step.asks];
      if (step.what === "fold") rollup.foldAll();
      if (step.what === "user") expect(rollup.user("a").total_operations).toBe(plain.user("a").total_operations);
      else expect(differences(rollup, plain, OTHERS, true)).toEqual([]);
      expect(auditRollup(database, "level")?.differences ?? []).toEqual([]);
      folded += database
        .prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'perdura_rollup'")
        .pluck()
        .get() as number;
    }
    for (const { rollup, plain } of opened) expect(differences(rollup, plain, OTHERS, true)).toEqual([]);
  });
}

it("statistics equal those of all rows after any change of rows by other programs", () => {
  folded = 0;
  fc.assert(fc.property(steps(rowChange), check), { numRuns: RUNS });
  expect(folded).toBeGreaterThan(RUNS / 2);
});

it("statistics equal those of all rows after any change of the schema by other programs", () => {
  folded = 0;
  const change = fc.oneof({ weight: 4, arbitrary: rowChange }, { weight: 1, arbitrary: schemaChange });
  fc.assert(fc.property(steps(change), check), { numRuns: RUNS });
  // Once a run on average.
  expect(folded).toBeGreaterThan(RUNS / 10);
});
