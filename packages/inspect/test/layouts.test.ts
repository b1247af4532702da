import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { migrate, readData } from "@perdura/migrator";
import { MetricsCollector } from "@perdura/v15";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { type LegacyAnswers, readExpected } from "../../../fixtures/expected.ts";
import { layOutStates } from "../../../fixtures/lay_out.ts";
import { fixture } from "../../../fixtures/paths.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { compareContents } from "@perdura/summary/compare_contents.js";
import { withContents } from "../src/read/contents.ts";
import { summarizeData } from "../src/read/summarize_data.ts";
import { stampsOf } from "../../../test/tree_stamp.ts";

/** Databases of all layouts of the field, with the answers that the programs of the field gave. */
const LEGACY = readdirSync(fixture("legacy"))
  .filter((name) => name.endsWith(".expected.json"))
  .map((name) => name.replace(".expected.json", ""))
  .toSorted();

const answersOf = (name: string): LegacyAnswers => readExpected("legacy", `${name}.expected.json`) as LegacyAnswers;

/** Copies everything that belongs to a database: a journal may be next to it. */
function layOut(name: string): string {
  const folder = freshFolder();
  for (const file of readdirSync(fixture("legacy")))
    if (file === `${name}.db` || file.startsWith(`${name}.db-`))
      copyFileSync(fixture("legacy", file), join(folder, file));
  return folder;
}

test("there are databases of every layout", () => {
  expect(LEGACY.length).toBeGreaterThan(50);
});

test.for(LEGACY)("%s is summarised as the programs of the field counted it, and nothing changes", async (name) => {
  const folder = layOut(name);
  const before = stampsOf(folder);
  const { databases, unreadable } = await summarizeData(folder);
  expect(stampsOf(folder)).toEqual(before);
  const { metrics_tables: tables } = answersOf(name);
  if (unreadable.length > 0) return;
  const [database] = databases;
  const rows = tables.reduce((sum, { row_count }) => sum + row_count, 0);
  // A database without metrics, or with metrics in a layout that the migrator refuses.
  if (database?.metrics === null || database === undefined) return;
  expect(database.metrics.operations).toBe(rows);
  const [only, second] = tables;
  if (only === undefined || second !== undefined) return;
  for (const { user_id, statistics } of only.user_statistics) {
    const user = database.metrics.top_users.find((each) => each.user_id === user_id);
    expect(user?.total_operations, user_id).toBe(statistics["total_operations"]);
    expect(user?.success_rate, user_id).toBeCloseTo(statistics["success_rate"] as number, 9);
  }
});

test.for(LEGACY)("%s has the same figures after its migration", async (name) => {
  const [before, after] = [layOut(name), layOut(name)];
  const report = await migrate(after, { invalidRows: "quarantine", missingLevel: 3 });
  const [item] = report.databases;
  if (item?.status !== "migrated") return;
  const { facts, compared } = await withContents(before, undefined, (one) =>
    withContents(after, undefined, (other) => compareContents(one.contents, other.contents)),
  );
  expect(compared.filter((items) => items.missing + items.changed + items.added > 0)).toEqual([]);
  expect(facts.filter(({ result }) => result === "missing" || result === "changed")).toEqual([]);
  expect(facts.length).toBeGreaterThan(0);
});

test.for([
  ["older", "2026-01-01 00:00:00", 2],
  ["newer", "2026-03-01 00:00:00", 5],
] as const)("two tables with equal ids: %s rows get the ids of a migration", async ([, time, level]) => {
  const folder = freshFolder();
  const path = join(folder, "metrics.db");
  const collector = new MetricsCollector(path, { clock: () => new Date("2026-02-01T00:00:00Z") });
  collector.recordMetric("alice", 2, true, 10);
  collector.close();
  const database = new Sqlite(path);
  database.exec(`CREATE TABLE metrics (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL,
    empathy_level INTEGER NOT NULL, success BOOLEAN NOT NULL, response_time_ms REAL, metadata TEXT, timestamp TIMESTAMP)`);
  database.prepare(`INSERT INTO metrics VALUES (1, 'alice', 5, 0, 30, '{"tool":"x"}', ?)`).run(time);
  database.close();
  const [found] = (await summarizeData(folder)).databases;
  expect(found?.metrics).toMatchObject({
    operations: 2,
    avg_response_time_ms: 20,
    top_users: [{ current_level: level }],
  });
  const file = join(folder, "all.csv");
  await readData(path, {}, async ({ databases }) => databases[0]?.read(({ metrics }) => metrics?.exportTo(file)));
  const ids = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.split(",")[0]);
  expect(new Set(ids).size).toBe(2);
  expect(readFileSync(file, "utf8").match(/""tool""/g)).toHaveLength(1);
});

test.for(["documented", "field", "broken"] as const)("the states of %s are the same in the archive", async (set) => {
  const [before, after] = [freshFolder(), freshFolder()];
  for (const folder of [before, after]) layOutStates(set, join(folder, "state"));
  await migrate(after);
  const [one, other] = [await summarizeData(before), await summarizeData(after)];
  const { path: _before, ...states } = one.state_directories[0] ?? { path: "" };
  const { path: _after, ...archived } = other.archives[0] ?? { path: "" };
  expect(archived).toEqual(states);
});
