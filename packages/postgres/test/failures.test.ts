import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { newDatabase } from "@perdura/test-servers/postgres/database.js";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { PATIENCE_MS } from "../../../test/patience.ts";
import { atShortLimit } from "../../../test/short_limit.ts";
import { PostgresMetricsCollector } from "../src/index.ts";
import { metricsIn, newSchema, otherProgram, patternsIn } from "./elements.ts";
import { LAYOUT, ON_CITUS } from "./layouts.ts";
import { needs } from "../../../test/needs.ts";

/** A program that waits until no connection to its database is idle in a transaction. */
const WAIT = fileURLToPath(new URL("programs/wait_for_idle.ts", import.meta.url));

const NOTHING = / Nothing was written\.$/;
const UNKNOWN = / The connection broke: the commit may have succeeded\. Check before retrying\.$/;

/** A server that accepts connections and passes them to a function. */
async function serverThat(serve: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    serve(socket);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `postgres://u@127.0.0.1:${(server.address() as { port: number }).port}/d`;
}

/** Error message of PostgreSQL's protocol. */
function refusal(code: string, words: string): Buffer {
  const body = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${words}\0\0`);
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

describeWithPostgres("failures", (postgres) => {
  test.for([
    ["57P03", "the database system is starting up"],
    ["57P03", "le système de bases de données s'arrête"],
    ["53300", "sorry, too many clients already"],
    ["28P01", "password authentication failed"],
    ["3D000", "database does not exist"],
  ])(
    "reports that nothing was written to a server that refuses the connection: %s %s",
    async ([code = "", words = ""]) => {
      const url = await serverThat((socket) => void socket.once("data", () => socket.end(refusal(code, words))));
      const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: 200 });
      onTestFinished(() => pool.end());
      for (const place of [url, pool]) {
        const metrics = new PostgresMetricsCollector(place, { connectTimeoutMs: 200 });
        onTestFinished(() => metrics.close());
        await expect(metrics.recordInteraction("a", 1, true, 1)).rejects.toMatchObject({
          code: "PERDURA_STORAGE",
          message: expect.stringMatching(NOTHING) as string,
        });
      }
    },
  );

  test.for([
    ["no server", "postgres://u@127.0.0.1:1/d", {}],
    ["no such host", "postgres://u@no-such-host.invalid/d", {}],
    ["no such file", "postgres://u@127.0.0.1:1/d?sslmode=verify-full&sslrootcert=/no/such/file", {}],
  ] as const)("reports that nothing was written if there is %s", async ([, url, options]) => {
    const error: unknown = await metricsIn(url, options)
      .recordInteraction("a", 1, true, 1)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: expect.not.stringMatching(/may have succeeded/) as string });
    expect((error as { code: string }).code).toMatch(/^PERDURA_(?:STORAGE|VALIDATION)$/);
  });

  test.for([
    ["ends the connection at once", (socket: Socket): void => void socket.end()],
    ["resets it", (socket: Socket): void => void socket.once("data", () => socket.resetAndDestroy())],
    ["never answers", (): void => undefined],
  ] as const)("reports that nothing was written to a server that %s", async ([, serve]) => {
    const metrics = metricsIn(await serverThat(serve), { connectTimeoutMs: 200 });
    await expect(metrics.recordInteraction("a", 1, true, 1)).rejects.toMatchObject({
      code: "PERDURA_STORAGE",
      message: expect.stringMatching(NOTHING) as string,
    });
  });

  test(
    "shows the detail and the hint of the server, without values of rows",
    needs("plain-tables", ON_CITUS),
    async () => {
      const schema = newSchema();
      const metrics = metricsIn(postgres.url, { schema });
      await metrics.recordInteraction("a", 1, true, 1);
      const other = otherProgram(postgres.url, schema);
      await other.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION USING MESSAGE = 'cannot do it', DETAIL = 'It is Monday.', HINT = 'Wait for Tuesday.',
        ERRCODE = CASE NEW.user_id WHEN 'private' THEN '23514' ELSE '0A000' END; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON interactions FOR EACH ROW EXECUTE FUNCTION refuse()`);
      await expect(metrics.recordInteraction("a", 1, true, 1)).rejects.toThrow(
        /recording failed: cannot do it\. It is Monday\. Wait for Tuesday\. Nothing was written\.$/,
      );
      await expect(metrics.recordInteraction("private", 1, true, 1)).rejects.toThrow(
        /recording failed: cannot do it\. Wait for Tuesday\. Nothing was written\.$/,
      );
    },
  );

  test("names the limit of the server that was exceeded", needs("plain-tables", ON_CITUS), async () => {
    const database = await newDatabase(postgres.serverUrl);
    onTestFinished(() => database.drop());
    const metrics = metricsIn(database.url, { schema: "perdura" });
    await metrics.recordInteraction("a", 1, true, 1);
    const other = otherProgram(database.url, "perdura");
    await other.query(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NEW; END';
      CREATE TRIGGER wait BEFORE INSERT ON interactions FOR EACH ROW WHEN (NEW.user_id = 'slow') EXECUTE FUNCTION wait();
      CREATE TRIGGER wait BEFORE INSERT ON patterns FOR EACH ROW EXECUTE FUNCTION wait()`);
    const limited = (setting: string): string => `${database.url}?options=-c%20${setting}%3D150`;
    for (const record of [
      (each: PostgresMetricsCollector) => each.recordInteraction("slow", 1, true, 1),
      (each: PostgresMetricsCollector) => each.recordMany([{ user_id: "slow", success: true, response_time_ms: 1 }]),
      (each: PostgresMetricsCollector) => each.writer().recordMetric("slow", true, 1),
    ])
      await expect(record(metricsIn(limited("statement_timeout"), { schema: "perdura" }))).rejects.toMatchObject({
        code: "PERDURA_STORAGE",
        message: expect.stringMatching(/statement timeout\. Nothing was written\.$/) as string,
        cause: { code: "57014" },
      });
    const idle = metricsIn(limited("idle_in_transaction_session_timeout"), { schema: "perdura" });
    const slowly = function* (): Generator<{ user_id: string; success: boolean; response_time_ms: number }> {
      for (let row = 0; row < 7000; row += 1) {
        // The server ends the connection, while this process is blocked after two statements.
        if (row === 6500) execFileSync(process.execPath, [WAIT, database.url]);
        yield { user_id: "a", success: true, response_time_ms: 1 };
      }
    };
    await expect(idle.recordMany(slowly())).rejects.toMatchObject({
      code: "PERDURA_STORAGE",
      message: expect.stringMatching(NOTHING) as string,
    });
    expect((await metrics.getGlobalStats()).total_interactions).toBe(1);
  });

  // Citus refuses triggers of other programs.
  test(
    "a commit is uncertain only if the connection broke during a statement that can commit",
    needs("plain-tables", ON_CITUS),
    async () => {
      const schema = newSchema();
      const metrics = metricsIn(postgres.url, { schema });
      await metrics.recordInteraction("a", 1, true, 1);
      const other = otherProgram(postgres.url, schema);
      await other.query(`CREATE FUNCTION end_it() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(60); RETURN NEW; END';
      CREATE TRIGGER end_it BEFORE INSERT ON interactions FOR EACH ROW WHEN (NEW.user_id = 'last') EXECUTE FUNCTION end_it()`);
      const last = { user_id: "last", success: true, response_time_ms: 1 };
      const withFate = (fate: RegExp, mayBeWritten: boolean) => ({
        message: expect.stringMatching(fate) as string,
        mayBeWritten,
      });
      await expect(metrics.recordInteraction("last", 1, true, 1)).rejects.toMatchObject(withFate(UNKNOWN, true));
      // The transaction had not ended.
      await expect(metrics.recordMany([last])).rejects.toMatchObject(withFate(NOTHING, false));
      await other.query(`DROP TRIGGER end_it ON interactions;
      CREATE CONSTRAINT TRIGGER end_it AFTER INSERT ON interactions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
        WHEN (NEW.user_id = 'last') EXECUTE FUNCTION end_it()`);
      // During the commit itself.
      await expect(metrics.recordMany([last])).rejects.toMatchObject(withFate(UNKNOWN, true));
      expect((await metrics.getGlobalStats()).total_interactions).toBe(1);
    },
  );

  test("does not use idle connections that the server terminated", async () => {
    const schema = newSchema();
    const pool = new pg.Pool({ connectionString: postgres.url, application_name: schema });
    onTestFinished(() => pool.end());
    const metrics = new PostgresMetricsCollector(pool, { ...LAYOUT, schema });
    const record = (): Promise<number[]> =>
      Promise.all(Array.from({ length: 10 }, (_, user) => metrics.recordInteraction(`u${user}`, 1, true, 1)));
    await record();
    expect(pool.totalCount).toBe(10);
    await otherProgram(postgres.url, schema).query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
      [schema],
    );
    // Until the process has noticed it.
    await vi.waitUntil(() => pool.totalCount === 0, PATIENCE_MS);
    await record();
    expect((await metrics.getGlobalStats()).total_interactions).toBe(20);
  });

  test("skips folding that exceeds a limit of the server", needs("plain-tables", ON_CITUS), async () => {
    const schema = newSchema();
    await metricsIn(postgres.url, { schema }).recordMany(
      Array.from({ length: 2500 }, (_, row) => ({ user_id: `u${row % 3}`, success: true, response_time_ms: 1 })),
    );
    const other = otherProgram(postgres.url, schema);
    await other.query(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NEW; END';
      CREATE TRIGGER wait BEFORE INSERT ON perdura_user_rollup FOR EACH ROW EXECUTE FUNCTION wait()`);
    await atShortLimit(async (limitMs) => {
      const metrics = metricsIn(`${postgres.url}?options=-c%20statement_timeout%3D${limitMs}`, { schema });
      expect((await metrics.getGlobalStats()).total_interactions).toBe(2500);
    });
    expect((await other.query("SELECT operations::int FROM perdura_rollup")).rows).toEqual([{ operations: 0 }]);
  });

  test("a read-only server answers queries, and refuses writes with the reason", async () => {
    const schema = newSchema();
    const metrics = metricsIn(postgres.url, { schema });
    await metrics.recordMany(
      Array.from({ length: 2500 }, (_, row) => ({ user_id: `u${row % 3}`, success: true, response_time_ms: 1 })),
    );
    const url = `${postgres.url}?options=-c%20default_transaction_read_only%3Don`;
    const reader = metricsIn(url, { schema });
    expect(await reader.getGlobalStats()).toEqual(await metrics.getGlobalStats());
    expect((await reader.getUserStats("u1")).total_operations).toBe(833);
    const said = /: \w+ failed: this server or this role is read-only\. Nothing was written\.$/;
    await expect(reader.recordInteraction("a", 1, true, 1)).rejects.toThrow(said);
    await expect(reader.recordMany([{ user_id: "a", success: true, response_time_ms: 1 }])).rejects.toThrow(said);
    await expect(patternsIn(url, { schema: newSchema() }).load()).rejects.toMatchObject({
      code: "PERDURA_FILE_NOT_FOUND",
    });
    await expect(metricsIn(url, { schema: newSchema() }).recordInteraction("a", 1, true, 1)).rejects.toThrow(said);
  });
});
