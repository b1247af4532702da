import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { dropTestObject, testName } from "@perdura/test-servers/postgres/test_objects.js";
import { PatternLibrary } from "@perdura/v16";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { Connection } from "../../src/connection/connection.ts";
import { checkedOptions } from "../../src/connection/options.ts";
import { PostgresMetricsCollector } from "../../src/index.ts";
import { namesIn } from "../../src/layout/names.ts";
import { metricsIn, newSchema, otherProgram, patternsIn } from "../elements.ts";
import { describeOnCitus, LAYOUT } from "./cluster.ts";

describeOnCitus("layout", (cluster) => {
  test("a question about a user is answered by one shard, and rows lie on every worker", async () => {
    const name = newSchema();
    const metrics = metricsIn(cluster.url, { ...LAYOUT, schema: name });
    await metrics.recordMany(
      Array.from({ length: 200 }, (_, index) => ({ user_id: `u${index}`, success: true, response_time_ms: 1 })),
    );
    const other = otherProgram(cluster.url, name);
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

  test("a transaction has the limit for waits on the workers, too", async () => {
    const name = newSchema();
    await metricsIn(cluster.url, { ...LAYOUT, schema: name }).recordInteraction("a", 1, true, 1);
    await using connection = new Connection(
      cluster.url,
      checkedOptions({ ...LAYOUT, schema: name, busyTimeoutMs: 4321 }),
    );
    const rows = await connection.transaction("read", async (session) => {
      // The value depends on the row, so that a worker computes it.
      const setting = "current_setting(CASE user_id WHEN 'a' THEN 'lock_timeout' END)";
      return session.query(`SELECT ${setting} AS value FROM ${namesIn(name).interactions}`);
    });
    expect(rows).toEqual([{ value: "4321ms" }]);
  });

  test("each shard has one place, whatever the number of copies is that the cluster makes by default", async () => {
    const name = newSchema();
    const options = "-c citus.shard_replication_factor=2";
    const pool = new pg.Pool({ connectionString: cluster.url, options });
    onTestFinished(() => pool.end());
    const metrics = new PostgresMetricsCollector(pool, { ...LAYOUT, schema: name });
    await metrics.recordMetric("a", true, 1, { tool: "search" });
    const places = await otherProgram(cluster.url, name).query(
      `SELECT DISTINCT count(*)::int AS places FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
       WHERE logicalrelid = 'interactions'::regclass GROUP BY shardid`,
    );
    expect(places.rows).toEqual([{ places: 1 }]);
  });

  test("programs that start at the same time create the tables once", async () => {
    const name = newSchema();
    const started = Array.from({ length: 6 }, () => metricsIn(cluster.url, { ...LAYOUT, schema: name }));
    await Promise.all(started.map((metrics, index) => metrics.recordInteraction(`u${index}`, 1, true, 1)));
    expect(await started[0]?.getAllUsers()).toEqual(started.map((_, index) => `u${index}`));
  });

  test("patterns are saved, merged, replaced and loaded", async () => {
    const name = newSchema();
    const patterns = patternsIn(cluster.url, { ...LAYOUT, schema: name });
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

  test("a cluster whose coordinator is not registered is refused", async () => {
    const database = testName();
    const administrator = otherProgram(cluster.url, "public");
    onTestFinished(() => dropTestObject(administrator, "DATABASE", database));
    await administrator.query(`CREATE DATABASE ${database}`);
    const there = Object.assign(new URL(cluster.url), { pathname: database }).href;
    const elsewhere = otherProgram(there, "public");
    await elsewhere.query("CREATE EXTENSION citus");
    await elsewhere.query("SELECT citus_add_inactive_node('worker', 1)");
    await expect(metricsIn(there, LAYOUT).getAllUsers()).rejects.toThrow(
      /the coordinator is not registered in its cluster\. .*citus_set_coordinator_host.*\. Nothing was created\./,
    );
  });

  test("tables that are not distributed are refused", async () => {
    const name = newSchema();
    await metricsIn(cluster.url, { schema: name }).recordInteraction("a", 1, true, 1);
    await expect(metricsIn(cluster.url, { ...LAYOUT, schema: name }).getAllUsers()).rejects.toThrow(
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
