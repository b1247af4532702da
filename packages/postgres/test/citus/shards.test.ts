import { expect, onTestFinished, test } from "vitest";
import type { PostgresMetricsCollector } from "../../src/index.ts";
import { Connection } from "../../src/connection/connection.ts";
import { checkedOptions } from "../../src/connection/options.ts";
import { ensureTables } from "../../src/layout/set_up.ts";
import { PostgresTables } from "../../src/tables.ts";
import { countedRows, withoutMean } from "../counted_rows.ts";
import { expectTrends, trendsOfCollector } from "../counted_trends.ts";
import { DECLARED, expectBreakdowns } from "../counted_breakdowns.ts";
import { metricsIn, newSchema, otherProgram } from "../elements.ts";
import { describeOnCitus, LAYOUT } from "./cluster.ts";

describeOnCitus("moved shards", (cluster) => {
  test("statistics are right after shards moved to another worker, were split, and got the rows of one user", async () => {
    const name = newSchema();
    const metrics = metricsIn(cluster.url, { ...LAYOUT, schema: name, breakdown: DECLARED });
    const other = otherProgram(cluster.url, name);
    const connection = new Connection(cluster.url, checkedOptions({ ...LAYOUT, schema: name }));
    onTestFinished(() => connection.close());
    const record = (): Promise<number> =>
      metrics.recordMany(
        Array.from({ length: 3000 }, (_, index) => ({
          user_id: `u${index % 40}`,
          level: 1 + (index % 5),
          success: index % 3 > 0,
          response_time_ms: index,
          ...(index % 4 === 0 ? {} : { metadata: { tool: `tool ${index % 7}`, tokens: index } }),
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
        await expectBreakdowns(connection, await ensureTables(connection), other);
        expect(await metrics.recount()).toMatchObject({ wrongUsers: [], wrongTotals: false });
      }
    };
    await expectRight();
    const tables = new PostgresTables(cluster.url, { schema: name });
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
      await other.query(
        `UPDATE interaction_metadata SET metadata = '{"tool": 1}' WHERE user_id = 'u4' AND interaction_id % 3 = 1`,
      );
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
    const { rows: middles } = await other.query<{ shard: string; middle: string }>(
      `SELECT shardid::text AS shard, ((shardminvalue::bigint + shardmaxvalue::bigint) / 2)::text AS middle
       FROM pg_dist_shard WHERE shardid = $1::bigint`,
      [(await shardOf("u3")).shard],
    );
    await other.query(
      "SELECT citus_split_shard_by_split_points($1::bigint, ARRAY[$2::text], ARRAY[$3, $3]::integer[], 'block_writes')",
      [middles[0]?.shard, middles[0]?.middle, workers[0]?.id],
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
    const name = newSchema();
    const programs = Array.from({ length: 4 }, () => metricsIn(cluster.url, { ...LAYOUT, schema: name }));
    await programs[0]?.recordInteraction("u0", 1, true, 1);
    const other = otherProgram(cluster.url, name);
    const { rows: shards } = await other.query<{ shard: string; from: string; to: string | null }>(
      `SELECT shardid::text AS shard, nodename || ':' || nodeport AS from, (SELECT node_name || ':' || node_port
         FROM citus_get_active_worker_nodes() WHERE (node_name, node_port) <> (nodename, nodeport) LIMIT 1) AS to
       FROM pg_dist_shard JOIN pg_dist_shard_placement USING (shardid)
       WHERE logicalrelid = 'interactions'::regclass ORDER BY shardid LIMIT 2`,
    );
    const moves = new AbortController();
    const writing = fleet(programs, moves.signal);
    const moving = async (): Promise<void> => {
      for (const { shard, from, to } of shards) {
        await programs[1]?.getGlobalStats();
        const sums = new PostgresTables(cluster.url, { schema: name });
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
    await expectAcknowledged(programs, await writing);
  });

  test("every acknowledged interaction counts once while programs record and the cluster balances its shards", async () => {
    const other = otherProgram(cluster.url, newSchema());
    const { rows: workers } = await other.query<{ host: string; port: number }>(
      "SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid > 0 ORDER BY nodeid",
    );
    const last = workers.at(-1);
    const use = async (shards: boolean): Promise<void> => {
      await other.query("SELECT citus_set_node_property($1, $2, 'shouldhaveshards', $3)", [
        last?.host,
        last?.port,
        shards,
      ]);
    };
    const placed = "SELECT 1 FROM pg_dist_shard_placement WHERE (nodename, nodeport) = ($1, $2) LIMIT 1";
    await use(false);
    onTestFinished(() => use(true));
    const name = newSchema();
    const programs = Array.from({ length: 4 }, () => metricsIn(cluster.url, { ...LAYOUT, schema: name }));
    await programs[0]?.recordInteraction("u0", 1, true, 1);
    await programs[0]?.getGlobalStats();
    const balanced = new AbortController();
    const writing = fleet(programs, balanced.signal);
    const balance = async (): Promise<void> => {
      // Like a new worker.
      await use(true);
      await other.query("SELECT citus_rebalance_start()");
      await other.query("SELECT citus_rebalance_wait()");
    };
    await balance().finally(() => balanced.abort());
    expect((await other.query(placed, [last?.host, last?.port])).rows).toHaveLength(1);
    await expectAcknowledged(programs, await writing);
  });
});

/** Programs that record and ask until a signal; returns the number of acknowledged interactions of each user. */
async function fleet(programs: readonly PostgresMetricsCollector[], end: AbortSignal): Promise<Map<string, number>> {
  const acknowledged = new Map<string, number>([["u0", 1]]);
  const count = (user: string, rows: number): void => void acknowledged.set(user, (acknowledged.get(user) ?? 0) + rows);
  const writing = programs.map(async (metrics, program) => {
    for (let call = 0; !end.aborted || call < 20; call += 1) {
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
  await Promise.all(writing);
  return acknowledged;
}

async function expectAcknowledged(
  [metrics]: readonly PostgresMetricsCollector[],
  acknowledged: ReadonlyMap<string, number>,
): Promise<void> {
  for (const [user, rows] of acknowledged)
    expect([user, (await metrics?.getUserStats(user))?.total_operations]).toEqual([user, rows]);
  expect((await metrics?.getGlobalStats())?.total_interactions).toBe(
    [...acknowledged.values()].reduce((a, b) => a + b),
  );
  expect(await metrics?.recount()).toMatchObject({ wrongUsers: [], wrongTotals: false });
}
