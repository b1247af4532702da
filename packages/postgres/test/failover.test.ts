import { startPgBouncer } from "@perdura/test-servers/pgbouncer/pgbouncer.js";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { startPostgres } from "@perdura/test-servers/postgres/server.js";
import { startStandby } from "@perdura/test-servers/postgres/standby.js";
import { startTcpSwitch } from "@perdura/test-servers/switch/tcp_switch.js";
import pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { PATIENCE_MS } from "../../../test/patience.ts";
import { atShortLimit } from "../../../test/short_limit.ts";
import { PostgresMetricsCollector } from "../src/index.ts";
import { metricsIn, otherProgram } from "./elements.ts";
import { ON_CITUS } from "./layouts.ts";
import { makeReadOnly, promote, Recorder, SCHEMA } from "./switch_over.ts";

describeWithPostgres("a switch to another server", () => {
  const skip = { skip: ON_CITUS };

  test("reaches the new primary with the call after one that a read-only server refused", skip, async () => {
    const [former, next] = await Promise.all([startPostgres(), startPostgres()]);
    for (const server of [former, next]) {
      onTestFinished(() => server.stop());
      await metricsIn(server.url, { schema: SCHEMA }).recordMetric("first", true, 1);
    }
    const door = await startTcpSwitch(former.port);
    onTestFinished(() => door.stop());
    const url = Object.assign(new URL(former.url), { port: String(door.port) }).href;
    const pool = new pg.Pool({ connectionString: url });
    onTestFinished(() => pool.end());
    const collectors = [url, pool].map((place) => new PostgresMetricsCollector(place, { schema: SCHEMA }));
    for (const metrics of collectors) {
      onTestFinished(() => metrics.close());
      // Several connections are open and idle.
      await Promise.all(Array.from({ length: 8 }, () => metrics.recordMetric("a", true, 1)));
    }
    await makeReadOnly(former);
    door.pointTo(next.port);
    const readOnly = { code: "PERDURA_STORAGE", cause: expect.objectContaining({ code: "25006" }) as Error };
    const record = { user_id: "b", success: true, response_time_ms: 1 };
    for (const metrics of collectors) {
      await vi.waitFor(() => expect(metrics.recordMany([record])).rejects.toMatchObject(readOnly), PATIENCE_MS);
      await Promise.all(Array.from({ length: 8 }, () => metrics.recordMetric("c", true, 1)));
    }
    const { rows } = await otherProgram(next.url, SCHEMA).query(
      "SELECT count(*)::int AS rows FROM interactions WHERE user_id = 'c'",
    );
    expect(rows).toEqual([{ rows: 16 }]);
  });

  test(
    "loses and repeats no acknowledged call: read-only, promoted, killed, demoted, behind a pooler",
    skip,
    async (context) => {
      const durable = { durable: true, settings: { synchronous_commit: "on" } };
      const first = await startPostgres(durable);
      onTestFinished(() => first.stop());
      await metricsIn(first.url, { schema: SCHEMA }).getAllUsers();
      const second = await startStandby(first);
      onTestFinished(() => second.stop());
      const door = await startTcpSwitch(first.port);
      onTestFinished(() => door.stop());
      const url = Object.assign(new URL(first.url), { port: String(door.port) }).href;
      const pool = new pg.Pool({ connectionString: url, max: 3 });
      onTestFinished(() => pool.end());
      // By default it waits 15 seconds after a failed login before the next one.
      const pooler = await startPgBouncer({ url }, { server_login_retry: "1" });
      if (pooler !== undefined) onTestFinished(() => pooler.stop());
      const places = { direct: url, pool, ...(pooler && { pooler: pooler.url }) };
      const recorders = Object.entries(places).map(([user, place]) => {
        const metrics = new PostgresMetricsCollector(place, { schema: SCHEMA });
        onTestFinished(() => metrics.close());
        return new Recorder(user, metrics);
      });
      const work = recorders.map((recorder) => recorder.run());
      onTestFinished(() => recorders.forEach((recorder) => recorder.stop()));
      const all = (): Promise<boolean[]> => Promise.all(recorders.map((recorder) => recorder.more(30)));
      const withoutPooler = recorders.filter(({ user }) => user !== "pooler");
      await all();

      await makeReadOnly(first);

      await promote(second, first);

      door.pointTo(second.port);
      await Promise.all(withoutPooler.map((recorder) => recorder.more(30)));
      // A pooler keeps its connections until the former primary ends, or until its command RECONNECT.

      await first.kill();
      await all();

      await second.kill();
      await second.start();
      await all();

      const third = await startStandby(second);
      onTestFinished(() => third.stop());
      await makeReadOnly(second);
      await promote(third, second);
      door.pointTo(third.port);
      await Promise.all(withoutPooler.map((recorder) => recorder.more(30)));
      await second.restart("fast");
      await all();

      for (const recorder of recorders) recorder.stop();
      await Promise.all(work);
      const { rows } = await otherProgram(third.url, SCHEMA).query<{ user_id: string; row: number }>(
        "SELECT user_id, response_time_ms AS row FROM interactions ORDER BY user_id, response_time_ms",
      );
      for (const { user, acknowledged, failures } of recorders) {
        const stored = rows.filter(({ user_id }) => user_id === user).map(({ row }) => row);
        expect(new Set(stored).size, user).toBe(stored.length);
        expect(stored.slice(0, acknowledged), user).toEqual(Array.from({ length: acknowledged }, (_, row) => row + 1));
        expect(failures.length, user).toBeGreaterThan(0);
        expect(failures.filter((error) => (error as { code?: string }).code !== "PERDURA_STORAGE")).toEqual([]);
      }
      const waits = recorders.map(
        ({ user, longestMs, failures }) => `${user} ${Math.round(longestMs)} ms, ${failures.length} failed calls`,
      );
      await context.annotate(`longest waits: ${waits.join("; ")}`);
      if (process.env["PERDURA_SHOW_WAITS"] !== undefined) process.stderr.write(`longest waits: ${waits.join("; ")}\n`);
    },
  );
});

describeWithPostgres("a server with too many clients", () => {
  test("is waited for, up to the time limit of a connection", { skip: ON_CITUS }, async () => {
    const server = await startPostgres({ settings: { max_connections: "12", superuser_reserved_connections: "0" } });
    onTestFinished(() => server.stop());
    const metrics = metricsIn(server.url, { schema: SCHEMA });
    await metrics.recordMetric("a", true, 1);
    await metrics.close();
    const others: pg.Client[] = [];
    onTestFinished(async () => {
      for (const client of others) await client.end();
    });
    const connectedClient = async (): Promise<pg.Client | undefined> => {
      const client = new pg.Client({ connectionString: server.url });
      return client.connect().then(
        () => client,
        () => undefined,
      );
    };
    for (let client = await connectedClient(); client !== undefined; client = await connectedClient())
      others.push(client);
    const full = { code: "PERDURA_STORAGE", cause: expect.objectContaining({ code: "53300" }) as Error };
    const isRefused = (): Promise<void> =>
      atShortLimit(async (connectTimeoutMs) => {
        const hasty = metricsIn(server.url, { schema: SCHEMA, connectTimeoutMs });
        await expect(hasty.recordMetric("a", true, 1)).rejects.toMatchObject(full);
      });
    await isRefused();
    const pool = new pg.Pool({ connectionString: server.url, connectionTimeoutMillis: PATIENCE_MS });
    onTestFinished(() => pool.end());
    const collectors = [
      metricsIn(server.url, { schema: SCHEMA, connectTimeoutMs: PATIENCE_MS }),
      new PostgresMetricsCollector(pool, { schema: SCHEMA }),
    ];
    for (const each of collectors) onTestFinished(() => each.close());
    const calls = collectors.map((each) => each.recordMetric("a", true, 1));
    // Both are refused at least once before there is room.
    await isRefused();
    for (const client of others.splice(0, 4)) await client.end();
    await Promise.all(calls);
    expect(await collectors[0]?.getGlobalStats()).toMatchObject({ total_interactions: 3 });
  });
});
