import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { promisify } from "node:util";
import { startPgBouncer } from "@perdura/test-servers/pgbouncer/pgbouncer.js";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { dropTestObject } from "@perdura/test-servers/postgres/test_objects.js";
import { PatternLibrary } from "@perdura/v16";
import pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { connectTimeoutMs } from "../src/connection/connect_timeout.ts";
import { Connection } from "../src/connection/connection.ts";
import { checkedOptions } from "../src/connection/options.ts";
import { PostgresMetricsCollector, PostgresPatternPersistence } from "../src/index.ts";
import { programWords } from "../../../test/programs.ts";
import { metricsIn, newSchema, patternsIn } from "./elements.ts";
import { skipWithout } from "../../../test/needs.ts";

describeWithPostgres("a connection", (postgres) => {
  test("accepts a pool of the application, which stays open and keeps its type parsers", async () => {
    // Independent of the application's own type parsers.
    const types = { getTypeParser: () => () => "not what was stored" };
    const pool = new pg.Pool({ connectionString: postgres.url, types, max: 1 });
    onTestFinished(() => pool.end());
    const schema = newSchema();
    const metrics = new PostgresMetricsCollector(pool, { schema });
    expect(await metrics.recordInteraction("a", 3, true, 1.5)).toBe(1);
    expect(await metrics.getUserStats("a")).toMatchObject({ total_operations: 1, avg_response_time_ms: 1.5 });
    const patterns = new PostgresPatternPersistence(pool, { schema });
    await patterns.save(new PatternLibrary());
    await Promise.all([metrics.close(), patterns.close()]);
    expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: "not what was stored" }]);
  });

  test("uses libpq's environment variables", async () => {
    const { hostname, port, username, pathname } = new URL(postgres.url);
    const program = programWords(new URL("programs/record_from_environment.ts", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [...program, newSchema()], {
      env: { ...process.env, PGHOST: hostname, PGPORT: port, PGUSER: username, PGDATABASE: pathname.slice(1) },
    });
    expect(stdout).toBe("[ 'a' ]\n");
  });

  test.for([
    ["that refuses settings", {}],
    ["that ignores settings", { ignore_startup_parameters: "lock_timeout,extra_float_digits" }],
  ] as const)("works through PgBouncer in transaction mode %s, with many clients", async ([, settings], context) => {
    const pooler = await startPgBouncer({ url: postgres.url }, { default_pool_size: "3", ...settings });
    if (pooler === undefined) return skipWithout("pgbouncer", context);
    onTestFinished(() => pooler.stop());
    const schema = newSchema();
    const collectors = Array.from({ length: 8 }, () => metricsIn(pooler.url, { schema }));
    await Promise.all(
      collectors.map(async (metrics, index) => {
        for (let row = 0; row < 20; row += 1) await metrics.recordInteraction(`u${index}`, 1, true, row);
        await metrics.recordMany([{ user_id: "all", success: true, response_time_ms: 1, metadata: { index } }]);
        await metrics.getUserStats(`u${index}`);
      }),
    );
    expect(await collectors[0]?.getGlobalStats()).toEqual({ total_users: 9, total_interactions: 168, success_rate: 1 });
    const library = new PatternLibrary();
    for (let index = 0; index < 3000; index += 1)
      library.contribute("x", { id: `p${index}`, pattern_type: "sequential", name: "n" });
    const patterns = patternsIn(pooler.url, { schema });
    await patterns.save(library);
    expect((await patterns.load()).size).toBe(3000);
  });

  test("prepares statements on a direct connection, and not through a pooler", async (context) => {
    const options = checkedOptions({ busyTimeoutMs: 4321 });
    const opened = (address: string | pg.Pool): Connection => {
      const connection = new Connection(address, options);
      onTestFinished(() => connection.close());
      return connection;
    };
    const planned = async (connection: Connection): Promise<unknown> => {
      for (let asked = 0; asked < 3; asked += 1)
        expect(await connection.query("SELECT $1::int AS one", [asked], "kept")).toEqual([{ one: asked }]);
      return connection.query("SELECT name FROM pg_prepared_statements");
    };
    expect(await planned(opened(postgres.url))).toEqual([{ name: "kept" }]);
    // Its connections may lead to any server.
    const pool = new pg.Pool({ connectionString: postgres.url });
    onTestFinished(() => pool.end());
    expect(await planned(opened(pool))).toEqual([]);
    const pooler = await startPgBouncer({ url: postgres.url }, { ignore_startup_parameters: "lock_timeout" });
    if (pooler === undefined) return skipWithout("pgbouncer", context);
    onTestFinished(() => pooler.stop());
    const pooled = opened(pooler.url);
    expect(await planned(pooled)).toEqual([]);
    // Settings that the pooler does not pass on are set for each transaction.
    expect(await pooled.query("SHOW lock_timeout")).toEqual([{ lock_timeout: "4321ms" }]);
    expect(await opened(postgres.url).query("SHOW lock_timeout")).toEqual([{ lock_timeout: "4321ms" }]);
  });

  test("continues after the tables were dropped and created again", async () => {
    const schema = newSchema();
    const metrics = metricsIn(postgres.url, { schema });
    for (let row = 0; row < 3; row += 1) await metrics.recordInteraction("a", 2, true, row);
    await metrics.getUserStats("a");
    const other = new pg.Client({ connectionString: postgres.url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query(`ALTER TABLE ${pg.escapeIdentifier(schema)}.interactions ADD COLUMN theirs text DEFAULT 'x'`);
    expect(await metrics.recordInteraction("a", 2, true, 1)).toBe(4);
    await dropTestObject(other, "SCHEMA", schema);
    await expect(metrics.recordInteraction("a", 2, true, 1)).rejects.toThrow(/does not exist/);
    await metricsIn(postgres.url, { schema }).getAllUsers();
    expect(await metrics.recordInteraction("b", 2, true, 1)).toBe(1);
    expect(await metrics.getUserStats("b")).toMatchObject({ total_operations: 1, current_level: 2 });
  });

  test("survives a server that terminates the connection after its greeting", async () => {
    // Both messages arrive at once: that it is ready, and that it shuts down.
    const message = (type: string, ...parts: (Buffer | string)[]): Buffer => {
      const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
      const length = Buffer.alloc(4);
      length.writeInt32BE(body.length + 4);
      return Buffer.concat([Buffer.from(type), length, body]);
    };
    const going = message("E", "SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0");
    const all = Buffer.concat([message("R", Buffer.alloc(4)), message("Z", "I"), going]);
    const server = createServer((socket) => void socket.once("data", () => socket.end(all)));
    server.listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const address = `postgres://somebody@127.0.0.1:${port}/x`;
    const pool = new pg.Pool({ connectionString: address });
    onTestFinished(() => pool.end());
    for (const place of [address, pool]) {
      const metrics = new PostgresMetricsCollector(place, { connectTimeoutMs: 2000 });
      onTestFinished(() => metrics.close());
      await expect(metrics.recordInteraction("a", 1, true, 1)).rejects.toMatchObject({ code: "PERDURA_STORAGE" });
    }
  });

  test("fails quickly for a wrong address, without showing the password", async () => {
    // A server that accepts connections and never answers.
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    onTestFinished(() => void silent.close());
    await new Promise((resolve) => silent.once("listening", resolve));
    const { port } = silent.address() as { port: number };
    const open = new URL(postgres.url);
    for (const [host, options, reason] of [
      [`127.0.0.1:${port}`, { connectTimeoutMs: 300 }, /timeout|terminated/i],
      ["127.0.0.1:1", {}, /ECONNREFUSED/],
      [`127.0.0.1:${open.port}`, {}, /role "somebody" does not exist/],
    ] as const) {
      const metrics = metricsIn(`postgres://somebody:geheim@${host}/x?password=geheim`, options);
      const error = (await metrics.getAllUsers().catch((caught: unknown) => caught)) as Error;
      expect(error).toMatchObject({ code: "PERDURA_STORAGE", path: `postgres://somebody@${host}/x` });
      expect(error.message).toMatch(reason);
      expect(error.message).not.toContain("geheim");
    }
  });

  test("waits for connect_timeout of the address or of the environment", async () => {
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    onTestFinished(() => void silent.close());
    await once(silent, "listening");
    const { port } = silent.address() as { port: number };
    const address = `postgres://somebody@127.0.0.1:${port}/x`;
    await expect(metricsIn(`${address}?connect_timeout=1`).getAllUsers()).rejects.toMatchObject({
      code: "PERDURA_STORAGE",
      message: expect.stringMatching(/timeout|terminated/i) as string,
    });
    vi.stubEnv("PGCONNECT_TIMEOUT", "1");
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(metricsIn(address).getAllUsers()).rejects.toMatchObject({ code: "PERDURA_STORAGE" });
  });

  test.each([
    ["?connect_timeout=7", undefined, 7000],
    ["?connect_timeout=7", "9", 7000],
    ["", "9", 9000],
    ["?connect_timeout=0", "9", 0],
    ["", "-1", 0],
    ["?connect_timeout=99999999", undefined, 0x7fffffff],
    ["", "", 10_000],
    ["", undefined, 10_000],
  ])("with %j, and %j in the environment, waits for %d ms", (parameters, variable, wait) => {
    vi.stubEnv("PGCONNECT_TIMEOUT", variable);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(connectTimeoutMs(`postgres://h/d${parameters}`)).toBe(wait);
    if (parameters === "") expect(connectTimeoutMs(undefined)).toBe(wait);
  });

  test.each([
    [
      "?connect_timeout=5;password=geheim",
      undefined,
      /^connect_timeout in the address: .* seconds, got another value\.$/,
    ],
    ["", "1.5", /PGCONNECT_TIMEOUT: expected a whole number of seconds, got "1\.5"/],
  ])("refuses %j, with %j in the environment", async (parameters, variable, message) => {
    vi.stubEnv("PGCONNECT_TIMEOUT", variable);
    onTestFinished(() => void vi.unstubAllEnvs());
    const refused = metricsIn(`postgres://h/d${parameters}`).getAllUsers();
    await expect(refused).rejects.toMatchObject({
      code: "PERDURA_VALIDATION",
      message: expect.stringMatching(message) as string,
    });
  });

  test("reports a lock timeout as busy, and writes nothing", async () => {
    const schema = newSchema();
    const metrics = metricsIn(postgres.url, { schema, busyTimeoutMs: 50 });
    await metrics.recordInteraction("a", 1, true, 1);
    const other = new pg.Client({ connectionString: postgres.url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query(`BEGIN; LOCK TABLE "${schema.replaceAll('"', '""')}".interactions`);
    for (const waiting of [
      () => metrics.recordInteraction("a", 1, true, 1),
      () => metrics.recordMany([{ user_id: "a", success: true, response_time_ms: 1 }]),
      () => metrics.getUserStats("a"),
    ])
      await expect(waiting()).rejects.toMatchObject({ code: "PERDURA_BUSY" });
    await other.query("ROLLBACK");
    expect(await metrics.getGlobalStats()).toMatchObject({ total_interactions: 1 });
  });
});

test.each([
  ["mysql://x", /got text that begins with "mysql:\/\/", which is not shown/],
  [5, /place: expected an address like .* got 5/],
  [{}, /got an object/],
])("refuses an invalid place: %s", (place, message) => {
  expect(() => new PostgresMetricsCollector(place as string)).toThrow(message);
  expect(() => new PostgresPatternPersistence(place as string)).toThrow(message);
});

test.each([
  [{ schema: "" }, /schema: expected a name/],
  [{ schema: "pg_mine" }, /schema: expected a name/],
  [{ schema: "ä".repeat(32) }, /schema: expected a name of 1 to 63 bytes/],
  [{ partitions: 1 }, /partitions: expected a whole number from 2 to 1024, got 1/],
  [{ distributed: "cockroach" }, /distributed: expected "citus", got "cockroach"/],
  [{ distributed: "citus", partitions: 4 }, /partitions: expected no partitions with the option distributed, got 4/],
  [{ createSchema: "no" }, /createSchema: expected a boolean/],
  [{ connectTimeoutMs: 0 }, /connectTimeoutMs: expected a whole number/],
  [{ schemas: "x" }, /unknown option "schemas"/],
  [{ clock: 5 }, /clock: expected a function/],
])("refuses an invalid option: %o", (options, message) => {
  expect(() => new PostgresMetricsCollector("postgres://h/d", options as never)).toThrow(message);
});
