import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { dropTestObject } from "@perdura/test-servers/postgres/test_objects.js";
import { MetricsCollector, PatternLibrary } from "@perdura/v16";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { PostgresTables } from "../src/tables.ts";
import { metricsIn, newSchema, otherProgram, patternsIn } from "./elements.ts";
import { equalToSqlite } from "./equal_to_sqlite.ts";
import { runs } from "./runs.ts";

/** Address of a coordinator of Citus; the tests create and drop schemas of their own there. */
const URL = process.env["TEST_CITUS_URL"] ?? "";
const LAYOUT = { distributed: "citus" } as const;

const clock = (): Date => new Date("2026-03-29T01:30:00Z");

describe.skipIf(URL === "")(`Citus${URL === "" ? " (not run: TEST_CITUS_URL is not set)" : ""}`, () => {
  const made: string[] = [];
  let coordinator: pg.Client;

  const schema = (): string => {
    const name = newSchema();
    made.push(name);
    return name;
  };

  beforeAll(async () => {
    coordinator = new pg.Client(URL);
    await coordinator.connect();
  });

  afterAll(async () => {
    for (const name of made) await dropTestObject(coordinator, "SCHEMA", name);
    await coordinator.end();
  });

  test("metrics equal those in SQLite, for each way to record", async () => {
    await fc.assert(
      equalToSqlite(() => URL, LAYOUT, schema),
      { numRuns: runs(8) },
    );
  });

  test("exports, trends and lists equal those in SQLite", async () => {
    const theirs = new MetricsCollector(":memory:", { clock });
    const ours = metricsIn(URL, { ...LAYOUT, schema: schema(), clock });
    const records = Array.from({ length: 2100 }, (_, index) => ({
      user_id: ["a", 'ä"', "\u{1f600}", "d"][index % 4] as string,
      level: 1 + (index % 5),
      success: index % 3 > 0,
      response_time_ms: index / 4,
      ...(index % 7 === 0 ? { metadata: { text: "\0\ud800,\n", index } } : {}),
    }));
    theirs.recordMany(records);
    await ours.recordMany(records);
    const directory = freshFolder();
    for (const extension of ["json", "jsonl", "csv"]) {
      const [one, other] = [join(directory, `ours.${extension}`), join(directory, `theirs.${extension}`)];
      expect(await ours.exportMetrics(one)).toBe(2100);
      theirs.exportMetrics(other);
      expect(readFileSync(one, "utf8")).toBe(readFileSync(other, "utf8"));
    }
    for (const bucket of ["hour", "day", "week", "month"] as const) {
      expect(await ours.getUserTrend("a", { bucket })).toEqual(theirs.getUserTrend("a", { bucket }));
      expect(await ours.getGlobalTrend({ bucket })).toEqual(theirs.getGlobalTrend({ bucket }));
    }
  });

  test("statistics are right after other programs changed rows", async () => {
    const name = schema();
    const metrics = metricsIn(URL, { ...LAYOUT, schema: name });
    await metrics.recordMany(
      Array.from({ length: 600 }, (_, index) => ({
        user_id: `u${index % 20}`,
        level: 2,
        success: true,
        response_time_ms: 10,
      })),
    );
    expect(await metrics.getGlobalStats()).toEqual({ total_users: 20, total_interactions: 600, success_rate: 1 });
    const other = otherProgram(URL, name);
    await other.query("UPDATE interactions SET level = 5, success = false WHERE user_id = 'u1'");
    await other.query("DELETE FROM interactions WHERE user_id IN ('u2', 'u3')");
    await other.query("INSERT INTO interactions (user_id, level, success) VALUES ('new', 1, true)");
    expect(await metrics.getUserStats("u1")).toMatchObject({ success_rate: 0, current_level: 5, level_5_count: 30 });
    expect(await metrics.getUserStats("u2")).toMatchObject({ total_operations: 0 });
    expect(await metrics.getGlobalStats()).toMatchObject({ total_users: 19, total_interactions: 541 });
    const tables = new PostgresTables(URL, { schema: name });
    const read = await tables.read(async ({ metrics: stored }) => [
      (await stored?.overview())?.operations,
      (await stored?.topUsers(1))?.map(({ user_id, total_operations }) => [user_id, total_operations]),
    ]);
    expect(read).toEqual([541, [["u0", 30]]]);
    await tables.close();
  });

  test("a question about a user is answered by one shard, and rows lie on every worker", async () => {
    const name = schema();
    const metrics = metricsIn(URL, { ...LAYOUT, schema: name });
    await metrics.recordMany(
      Array.from({ length: 200 }, (_, index) => ({ user_id: `u${index}`, success: true, response_time_ms: 1 })),
    );
    const other = otherProgram(URL, name);
    const plan = await other.query("EXPLAIN SELECT count(*) FROM interactions WHERE user_id = 'u1'");
    expect(plan.rows.map((row) => String(row["QUERY PLAN"]).trim())).toContain("Task Count: 1");
    const workers = await other.query(
      `SELECT nodeport, sum(result::bigint)::int AS rows
       FROM run_command_on_shards('interactions', 'SELECT count(*) FROM %s') JOIN pg_dist_shard_placement USING (shardid)
       JOIN pg_dist_node USING (nodename, nodeport) GROUP BY nodeport`,
    );
    const nodes = await other.query("SELECT count(*)::int AS many FROM citus_get_active_worker_nodes()");
    expect(workers.rows).toHaveLength(nodes.rows[0].many);
    for (const { rows } of workers.rows) expect(rows).toBeGreaterThan(0);
  });

  test("programs that start at the same time create the tables once", async () => {
    const name = schema();
    const started = Array.from({ length: 6 }, () => metricsIn(URL, { ...LAYOUT, schema: name }));
    await Promise.all(started.map((metrics, index) => metrics.recordInteraction(`u${index}`, 1, true, 1)));
    expect(await started[0]?.getAllUsers()).toEqual(started.map((_, index) => `u${index}`));
  });

  test("patterns are saved, merged, replaced and loaded", async () => {
    const name = schema();
    const patterns = patternsIn(URL, { ...LAYOUT, schema: name });
    const library = new PatternLibrary();
    for (const id of ["b", "a"])
      library.contribute("agent-1", { id, pattern_type: "t", name: id, context: { n: 1 }, tags: ["x"] });
    library.recordUsage("a", "agent-2", true);
    expect(await patterns.save(library)).toMatchObject({ patterns: 2, usageRows: 1 });
    library.contribute("agent-1", { id: "a", pattern_type: "t", name: "renamed" });
    expect(await patterns.save(library)).toMatchObject({ patterns: 2, usageRows: 0 });
    const loaded = await patterns.load();
    expect([...loaded.patterns.values()].map(({ id, name: called }) => [id, called])).toEqual([
      ["b", "b"],
      ["a", "renamed"],
    ]);
    library.patterns.delete("b");
    expect(await patterns.save(library, { mode: "replace" })).toMatchObject({ removedPatterns: 1 });
  });

  test("tables that are not distributed are refused", async () => {
    const name = schema();
    await metricsIn(URL, { schema: name }).recordInteraction("a", 1, true, 1);
    await expect(metricsIn(URL, { ...LAYOUT, schema: name }).getAllUsers()).rejects.toThrow(
      /the tables in the schema .* are not distributed, but the option distributed is citus\. Nothing was changed/,
    );
  });
});

describeWithPostgres("distributed tables", (postgres) => {
  test("need the extension citus", async () => {
    const metrics = metricsIn(postgres.url, LAYOUT);
    await expect(metrics.recordInteraction("a", 1, true, 1)).rejects.toThrow(
      /the database has no extension citus, which the option distributed needs\. Nothing was created/,
    );
  });
});
