import * as v16 from "@perdura/v16";
import { expect, test } from "vitest";
import { connect } from "../../../../test/legacy/legacy_database.ts";
import { makeSums, type ProgressEvent, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { startNode, untilAnotherRow } from "../live/writer.ts";
import { endOf, endWithOutput, startProgram } from "../support/program.ts";
import { schemaErrorsOf } from "../support/report_schema.ts";
import { runProgram } from "../support/run_program.ts";
import { longDatabase, ROWS, summed } from "./long_database.ts";

/** Enough rows for many steps, in which sums are made. */
const MANY = 4 * ROWS;

const isSums = ({ stage }: ProgressEvent): boolean => stage === "sums";

test("sums makes them for databases of both lines, with progress, and has nothing to do the next time", async () => {
  const path = longDatabase(MANY);
  const seen: ProgressEvent[] = [];
  const report = await makeSums(path, { onProgress: (event) => seen.push(event) });
  expect(report).toMatchObject({
    exit_code: 0,
    databases: [{ status: "done", layout: "documented-15", summed: MANY }],
  });
  expect(schemaErrorsOf("maintenance-report", report)).toEqual([]);
  const steps = seen.filter(isSums);
  expect(steps.length).toBeGreaterThan(3);
  for (const step of steps) expect(schemaErrorsOf("progress", step)).toEqual([]);
  expect(steps.at(0)).toMatchObject({ done: 0, total: MANY, unit: "rows" });
  expect(steps.at(-1)).toMatchObject({ total: MANY, unit: "rows" });
  expect(await makeSums(path)).toMatchObject({ exit_code: 0, databases: [{ status: "nothing_to_do", summed: 0 }] });
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  const other = connect(path);
  other.exec(`INSERT INTO interactions (user_id, level, success) SELECT 'late', 2, 1 FROM interactions LIMIT 5000`);
  other.close();
  const { code, stdout } = await runProgram("sums", path);
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("added to the sums: 5,000 interactions"),
  });
  expect(summed(path)).toBe(MANY + 5000);
  using collector = new v16.MetricsCollector(path);
  expect(collector.getUserStats("late").total_operations).toBe(5000);
});

test("up makes the sums after its commit", async () => {
  const path = longDatabase(MANY);
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated", notes: [] }] });
  expect(summed(path)).toBe(MANY);
  expect(await verifyMigration(path)).toMatchObject({
    exit_code: 0,
    databases: [{ notes: ["the rollup agrees with the rows, for 3 users"] }],
  });
});

/** Number of the first progress event of the sums in a complete run. */
async function firstOfSums(): Promise<number> {
  const seen: ProgressEvent[] = [];
  await migrate(longDatabase(MANY), { onProgress: (event) => seen.push(event) });
  return seen.findIndex(isSums) + 1;
}

test("Ctrl-C while up makes the sums keeps the migration and the sums so far", async () => {
  const step = (await firstOfSums()) + 2;
  const path = longDatabase(MANY);
  const ended = await endWithOutput("interrupted_cli.ts", String(step), "SIGINT", "up", "--json", path);
  expect(ended.code).toBe(130);
  expect(JSON.parse(ended.stdout)).toMatchObject({
    exit_code: 130,
    summary: expect.stringContaining("perdura-migrate sums continues"),
    databases: [{ status: "migrated" }],
    report_path: expect.stringContaining("perdura-migration-report"),
  });
  const before = summed(path);
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(MANY);
  expect(await makeSums(path)).toMatchObject({ databases: [{ status: "done", summed: MANY - before }] });
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
});

test("killed while it makes the sums, the migration is complete, and sums continues", async () => {
  const path = longDatabase(MANY);
  const step = (await firstOfSums()) + 2;
  expect(await endOf(startProgram("dying_migration.ts", path, String(step)))).toBe("SIGKILL");
  const before = summed(path);
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(MANY);
  expect(await makeSums(path)).toMatchObject({ databases: [{ status: "done", summed: MANY - before }] });
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
});

test("another program records while sums are made", async () => {
  const path = longDatabase(MANY);
  await migrate(path, { backup: false });
  const other = connect(path);
  other.exec("DROP TABLE perdura_rollup");
  other.close();
  const writer = startNode("record_16", path, "late");
  await writer.more(1);
  // It gets its turns between the steps.
  const rows: number[] = [];
  const onProgress = (event: ProgressEvent): void =>
    void (isSums(event) && rows.length < 3 && rows.push(untilAnotherRow(path)));
  const report = await makeSums(path, { onProgress });
  expect(report).toMatchObject({ exit_code: 0, databases: [{ status: "done" }] });
  expect(rows).toHaveLength(3);
  expect(await writer.end()).toBe(0);
  expect(writer.failure).toBeNull();
  using collector = new v16.MetricsCollector(path);
  expect(collector.getUserStats("late").total_operations).toBe(writer.recorded.length);
  expect(collector.getGlobalStats().total_interactions).toBe(MANY + writer.recorded.length);
});
