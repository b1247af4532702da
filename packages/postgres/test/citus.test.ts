import { execSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { dropTestObject, testName } from "@perdura/test-servers/postgres/test_objects.js";
import { MetricsCollector, PatternLibrary, type PerduraError } from "@perdura/v16";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { PATIENCE_MS } from "../../../test/patience.ts";
import type { PostgresMetricsCollector } from "../src/index.ts";
import { Connection } from "../src/connection/connection.ts";
import { checkedOptions } from "../src/connection/options.ts";
import { namesIn } from "../src/layout/names.ts";
import { PostgresTables } from "../src/tables.ts";
import { countedRows, withoutMean } from "./counted_rows.ts";
import { expectTrends, trendsOfCollector } from "./counted_trends.ts";
import { metricsIn, newSchema, otherProgram, patternsIn } from "./elements.ts";
import { equalToSqlite } from "./equal_to_sqlite.ts";
import { inShards } from "./layouts.ts";
import { runs } from "./runs.ts";

/** Address of a coordinator of Citus; the tests create and drop schemas of their own there. */
const URL = process.env["TEST_CITUS_URL"] ?? "";
/** Commands that kill one of the workers, and start it again. */
const [KILL, START] = [process.env["TEST_CITUS_KILL"] ?? "", process.env["TEST_CITUS_START"] ?? ""];
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

  test("statistics are right after shards moved to another worker, were split, and got the rows of one user", async () => {
    const name = schema();
    const metrics = metricsIn(URL, { ...LAYOUT, schema: name });
    const other = otherProgram(URL, name);
    const record = (): Promise<number> =>
      metrics.recordMany(
        Array.from({ length: 3000 }, (_, index) => ({
          user_id: `u${index % 40}`,
          level: 1 + (index % 5),
          success: index % 3 > 0,
          response_time_ms: index,
        })),
      );
    await record();
    /** A question about all users makes the sums of all shards. */
    const expectRight = async (): Promise<void> => {
      for (let time = 0; time < 2; time += 1) {
        const counted = await countedRows(other);
        expect(await metrics.getGlobalStats()).toEqual(counted.global);
        expect(await metrics.getAllUsers()).toEqual(counted.users);
        for (const user of ["u1", "u2", "u3", "nobody"])
          expect(withoutMean(await metrics.getUserStats(user))).toEqual(withoutMean(counted.user(user)));
        await expectTrends(trendsOfCollector(metrics), other, ["u1", "u3"]);
        expect(await metrics.recount()).toMatchObject({ wrongUsers: [], wrongTotals: false });
      }
    };
    await expectRight();
    const tables = new PostgresTables(URL, { schema: name });
    onTestFinished(() => tables.close());
    /** Every shard answers from its sums again, once no transaction of the cluster is older than the rows. */
    const expectFolded = (): Promise<unknown> =>
      expect
        .poll(async () => {
          await tables.refresh();
          return (await other.query("SELECT counted::int FROM perdura_global_sums()")).rows;
        })
        .toEqual([{ counted: 0 }]);
    const { rows: workers } = await other.query<{ port: number; id: number; host: string }>(
      `SELECT nodename AS host, nodeport AS port, nodeid AS id FROM pg_dist_node
       WHERE shouldhaveshards AND isactive AND noderole = 'primary' ORDER BY nodeid`,
    );
    const shardOf = async (user: string): Promise<{ shard: string; host: string; port: number }> => {
      const { rows } = await other.query<{ shard: string; host: string; port: number }>(
        `SELECT shardid::text AS shard, nodename AS host, nodeport AS port FROM pg_dist_shard_placement
         WHERE shardid = get_shard_id_for_distribution_column('interactions', $1::text)`,
        [user],
      );
      return rows[0] as { shard: string; host: string; port: number };
    };
    const changeRows = async (): Promise<void> => {
      await other.query("UPDATE interactions SET level = 5, success = false WHERE user_id = 'u1' AND id % 7 = 1");
      await other.query("DELETE FROM interactions WHERE user_id = 'u2' AND id % 5 = 1");
      // Where there are no triggers, these numbers stay, like those of a worker that is further ahead.
      await other.query("UPDATE interactions SET recorded_by = 1::bigint << 50 WHERE id % 5 = 2");
      await other.query(
        "DELETE FROM interactions WHERE user_id = 'u3' AND id = (SELECT max(id) FROM interactions WHERE user_id = 'u3')",
      );
      await record();
    };
    // To another worker, where it has no sums, and back, where it left some.
    for (let time = 0; time < 2; time += 1) {
      const { shard, host, port } = await shardOf("u1");
      const to = workers.find((worker) => worker.host !== host || worker.port !== port);
      if (to === undefined) break;
      const places = [shard, host, port, to.host, to.port];
      await other.query("SELECT citus_move_shard_placement($1::bigint, $2, $3, $4, $5, 'block_writes')", places);
      await changeRows();
      await expectRight();
      await expectFolded();
    }
    const { rows: halves } = await other.query<{ shard: string; middle: string }>(
      `SELECT shardid::text AS shard, ((shardminvalue::bigint + shardmaxvalue::bigint) / 2)::text AS middle
       FROM pg_dist_shard WHERE shardid = $1::bigint`,
      [(await shardOf("u3")).shard],
    );
    await other.query(
      "SELECT citus_split_shard_by_split_points($1::bigint, ARRAY[$2::text], ARRAY[$3, $3]::integer[], 'block_writes')",
      [halves[0]?.shard, halves[0]?.middle, workers[0]?.id],
    );
    await changeRows();
    await expectRight();
    await expectFolded();
    await other.query("SELECT isolate_tenant_to_new_shard('interactions', 'u3'::text, 'CASCADE', 'block_writes')");
    await changeRows();
    await expectRight();
    await expectFolded();
    // Another program removes the row by which a shard is found.
    await other.query("DELETE FROM perdura_shards WHERE user_id = (SELECT min(user_id) FROM perdura_shards)");
    await expectRight();
    await expectFolded();
  });

  test("every acknowledged interaction counts once while programs record, sums are made and shards move", async () => {
    const name = schema();
    const programs = Array.from({ length: 4 }, () => metricsIn(URL, { ...LAYOUT, schema: name }));
    await programs[0]?.recordInteraction("u0", 1, true, 1);
    const other = otherProgram(URL, name);
    const { rows: shards } = await other.query<{ shard: string; from: string; to: string | null }>(
      `SELECT shardid::text AS shard, nodename || ':' || nodeport AS from, (SELECT node_name || ':' || node_port
         FROM citus_get_active_worker_nodes() WHERE (node_name, node_port) <> (nodename, nodeport) LIMIT 1) AS to
       FROM pg_dist_shard JOIN pg_dist_shard_placement USING (shardid)
       WHERE logicalrelid = 'interactions'::regclass ORDER BY shardid LIMIT 2`,
    );
    const moves = new AbortController();
    const acknowledged = new Map<string, number>([["u0", 1]]);
    const count = (user: string, rows: number): void =>
      void acknowledged.set(user, (acknowledged.get(user) ?? 0) + rows);
    const writing = programs.map(async (metrics, program) => {
      for (let call = 0; !moves.signal.aborted || call < 20; call += 1) {
        const user = `u${(7 * call + program) % 30}`;
        const rows = program % 2 === 0 ? 1 : 25;
        if (rows === 1) await metrics.recordInteraction(user, 2, true, 1);
        else
          await metrics.recordMany(
            Array.from({ length: rows }, () => ({ user_id: user, success: true, response_time_ms: 1 })),
          );
        count(user, rows);
        if (call % 10 === 9) await metrics.getUserStats(user);
      }
    });
    const moving = async (): Promise<void> => {
      for (const { shard, from, to } of shards) {
        await programs[1]?.getGlobalStats();
        const sums = new PostgresTables(URL, { schema: name });
        await sums.refresh();
        await sums.close();
        if (to === null) continue;
        const [host, port] = from.split(":");
        const [toHost, toPort] = to.split(":");
        await other.query("SELECT citus_move_shard_placement($1::bigint, $2, $3, $4, $5, 'block_writes')", [
          shard,
          host,
          port,
          toHost,
          toPort,
        ]);
      }
    };
    await moving().finally(() => moves.abort());
    await Promise.all(writing);
    const [metrics] = programs;
    for (const [user, rows] of acknowledged)
      expect([user, (await metrics?.getUserStats(user))?.total_operations]).toEqual([user, rows]);
    expect((await metrics?.getGlobalStats())?.total_interactions).toBe(
      [...acknowledged.values()].reduce((a, b) => a + b),
    );
    expect(await metrics?.recount()).toMatchObject({ wrongUsers: [], wrongTotals: false });
  });

  test.skipIf(KILL === "" || START === "")(
    "a killed worker stops only its users, and every acknowledged interaction is there after its start",
    async () => {
      const name = schema();
      const programs = Array.from({ length: 4 }, () => metricsIn(URL, { ...LAYOUT, schema: name }));
      const users = Array.from({ length: 40 }, (_, index) => `u${index}`);
      const [first] = programs as [PostgresMetricsCollector];
      await first.recordMany(users.map((user_id) => ({ user_id, success: true, response_time_ms: 1 })));
      await first.getGlobalStats();
      const other = otherProgram(URL, name);
      const known = new Map(users.map((user) => [user, { acknowledged: 1, uncertain: 0, whileDown: 0 }]));
      const failures = new Set<string>();
      let state: "up" | "down" | "up again" = "up";
      let written = 0;
      const record = async (metrics: PostgresMetricsCollector, chosen: string[]): Promise<void> => {
        const during = state;
        const add = (to: "acknowledged" | "uncertain" | "whileDown"): void => {
          for (const user of chosen) (known.get(user) as Record<typeof to, number>)[to] += 1;
        };
        try {
          if (chosen.length === 1) await metrics.recordInteraction(chosen[0] as string, 1, true, 1);
          else await metrics.recordMany(chosen.map((user_id) => ({ user_id, success: true, response_time_ms: 1 })));
          add("acknowledged");
          if (during === "down" && state === "down") add("whileDown");
          written += 1;
        } catch (error) {
          expect(error).toMatchObject({ code: "PERDURA_STORAGE" });
          if ((error as PerduraError).mayBeWritten) add("uncertain");
          failures.add((error as Error).message);
        }
      };
      const end = new AbortController();
      const writing = programs.map(async (metrics, program) => {
        for (let call = program; !end.signal.aborted; call += 1) {
          const some = users.filter((_, index) => (index + call) % 13 === 0);
          await record(metrics, call % 5 === 0 ? some : [users[(7 * call) % users.length] as string]);
        }
      });
      const writtenMore = (rows: number): Promise<unknown> => {
        const enough = written + rows;
        return vi.waitUntil(() => written >= enough, PATIENCE_MS);
      };
      await writtenMore(100);
      execSync(KILL);
      state = "down";
      await writtenMore(100);
      // Users of the other workers were recorded, and can be asked.
      const served = [...known].filter(([, { whileDown }]) => whileDown > 0).map(([user]) => user);
      expect(served.length).toBeGreaterThan(0);
      expect(served.length).toBeLessThan(users.length);
      expect((await first.getUserStats(served[0] as string)).total_operations).toBeGreaterThan(1);
      await expect(first.getGlobalStats()).rejects.toMatchObject({ code: "PERDURA_STORAGE" });
      execSync(START);
      state = "up again";
      await expect
        .poll(() =>
          first.getGlobalStats().then(
            () => "asked",
            () => "failed",
          ),
        )
        .toBe("asked");
      await writtenMore(100);
      end.abort();
      await Promise.all(writing);
      // Otherwise the cluster does so within a minute.
      await other.query("SELECT recover_prepared_transactions()");
      expect([...failures].join("\n")).toMatch(/127\.0\.0\.1|localhost|connection/);
      for (const [user, { acknowledged, uncertain }] of known) {
        const { total_operations: stored } = await first.getUserStats(user);
        expect({ user, lost: stored < acknowledged, invented: stored > acknowledged + uncertain }).toEqual({
          user,
          lost: false,
          invented: false,
        });
      }
      const counted = await countedRows(other);
      expect(await first.getGlobalStats()).toEqual(counted.global);
      expect(await first.recount()).toMatchObject({ wrongUsers: [], wrongTotals: false });
    },
  );

  test("a role that may only read gets the same answers, from the sums or from the rows", async () => {
    const name = schema();
    const metrics = metricsIn(URL, { ...LAYOUT, schema: name });
    await metrics.recordMany(
      Array.from({ length: 2500 }, (_, index) => ({
        user_id: `u${index % 3}`,
        success: true,
        response_time_ms: index,
      })),
    );
    const other = otherProgram(URL, name);
    const quoted = `"${name.replaceAll('"', '""')}"`;
    const [before, after] = [testName(), testName()];
    onTestFinished(async () => {
      for (const role of [before, after]) await dropTestObject(other, "ROLE", role);
    });
    const allow = async (role: string): Promise<void> =>
      void (await other.query(`CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA ${quoted} TO ${role};
        GRANT SELECT ON ALL TABLES IN SCHEMA ${quoted} TO ${role}`));
    await allow(before);
    expect(await metrics.getGlobalStats()).toMatchObject({ total_interactions: 2500 });
    await allow(after);
    const question = "SELECT counted::int FROM perdura_global_sums()";
    for (const [role, counted] of [
      [before, 0],
      [after, 2500],
    ] as const) {
      const url = Object.assign(new globalThis.URL(URL), { username: role }).href;
      const reader = metricsIn(url, { ...LAYOUT, schema: name });
      expect(await reader.getGlobalStats()).toEqual(await metrics.getGlobalStats());
      expect(await reader.getUserStats("u1")).toEqual(await metrics.getUserStats("u1"));
      expect(await reader.getAllUsers()).toEqual(["u0", "u1", "u2"]);
      expect((await otherProgram(url, name).query(question)).rows).toEqual([{ counted }]);
    }
  });

  test("wrong sums are found in the shards, with the users in the order of code points", async () => {
    const name = schema();
    const metrics = metricsIn(URL, { ...LAYOUT, schema: name });
    // In UTF-16, the last one comes before the one before it.
    const users = ["a", "b", "\uffff", "\u{10000}"];
    await metrics.recordMany(
      Array.from({ length: 2400 }, (_, index) => ({
        user_id: users[index % 4] as string,
        success: true,
        response_time_ms: 1,
      })),
    );
    const other = otherProgram(URL, name);
    await expect
      .poll(async () => {
        await metrics.getGlobalStats();
        return (await other.query("SELECT counted::int FROM perdura_global_sums()")).rows;
      })
      .toEqual([{ counted: 0 }]);
    await other.query(inShards("UPDATE perdura_user_rollup SET operations = 7 WHERE user_id <> 'b'"));
    const wrongUsers = ["a", "\uffff", "\u{10000}"];
    expect(await metrics.recount()).toEqual({ users: 4, wrongUsers, wrongTotals: true });
    expect(await metrics.recount()).toEqual({ users: 4, wrongUsers: [], wrongTotals: false });
  });

  test("a transaction has the limit for waits on the workers, too", async () => {
    const name = schema();
    await metricsIn(URL, { ...LAYOUT, schema: name }).recordInteraction("a", 1, true, 1);
    await using connection = new Connection(URL, checkedOptions({ ...LAYOUT, schema: name, busyTimeoutMs: 4321 }));
    const rows = await connection.transaction("read", async (session) => {
      // The value depends on the row, so that a worker computes it.
      const setting = "current_setting(CASE user_id WHEN 'a' THEN 'lock_timeout' END)";
      return session.query(`SELECT ${setting} AS value FROM ${namesIn(name).interactions}`);
    });
    expect(rows).toEqual([{ value: "4321ms" }]);
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
