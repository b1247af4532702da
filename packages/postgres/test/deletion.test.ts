import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { newDatabase } from "@perdura/test-servers/postgres/database.js";
import type { Pool } from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { PATIENCE_MS } from "../../../test/patience.ts";
import { programWords } from "../../../test/programs.ts";
import type { PostgresMetricsCollector, PostgresMetricsOptions } from "../src/index.ts";
import { countedRows, withoutMean } from "./counted_rows.ts";
import { expectTrends, trendsOfCollector } from "./counted_trends.ts";
import { asNewRole, metricsIn, newSchema, otherProgram } from "./elements.ts";
import { needs } from "../../../test/needs.ts";
import { LAYOUTS, ON_CITUS, USERS_IN_SUMS } from "./layouts.ts";

/** Rows of `alice` and `bob` in turn, one a minute, with metadata in each third. */
function rowsOf(count: number): string {
  return `INSERT INTO interactions (user_id, level, success, response_time_ms, timestamp)
      SELECT CASE n % 2 WHEN 0 THEN 'alice' ELSE 'bob' END, 1 + n % 5, n % 3 = 0, n,
        to_char(timestamp '2024-01-01' + n * interval '1 minute', 'YYYY-MM-DD HH24:MI:SS')
      FROM generate_series(1, ${count}) AS n;`;
}

async function expectRightAnswers(metrics: PostgresMetricsCollector, plain: Pool): Promise<void> {
  const counted = await countedRows(plain);
  expect(await metrics.getGlobalStats()).toEqual(counted.global);
  expect(await metrics.getAllUsers()).toEqual(counted.users);
  for (const user of ["alice", "bob", "carol"])
    expect(withoutMean(await metrics.getUserStats(user))).toEqual(withoutMean(counted.user(user)));
  await expectTrends(trendsOfCollector(metrics), plain, ["alice", "bob", "carol"]);
}

interface Opened {
  metrics: PostgresMetricsCollector;
  plain: Pool;
  schema: string;
}

async function opened(url: string, rows: number, options: PostgresMetricsOptions = {}): Promise<Opened> {
  const schema = newSchema();
  const metrics = metricsIn(url, { schema, ...options });
  await metrics.getAllUsers();
  const plain = otherProgram(url, schema);
  const ofUser = ON_CITUS || options.partitions !== undefined ? ", user_id" : "";
  await plain.query(`${rowsOf(rows)}
    INSERT INTO interaction_metadata (interaction_id${ofUser}, metadata)
      SELECT id${ofUser}, '{"tool": "search"}' FROM interactions WHERE id % 3 = 0`);
  return { metrics, plain, schema };
}

describeWithPostgres("a deletion", (postgres) => {
  test.for(LAYOUTS)("of a user or a time removes rows, metadata and sums, in %s", async ([, options]) => {
    const { metrics, plain } = await opened(postgres.url, 12_000, options);
    await metrics.getGlobalStats();
    const progress: unknown[] = [];
    const before = await metrics.deleteBefore("2024-01-01T01:00:00Z", { user_id: "bob" });
    expect(before).toEqual({ interactions: 30, metadata: 10 });
    await expectRightAnswers(metrics, plain);
    const onProgress = (seen: object): void => void progress.push({ ...seen });
    expect(await metrics.forgetUser("alice", { onProgress })).toEqual({ interactions: 6000, metadata: 2000 });
    expect(progress).toEqual([
      { done: 4000, total: 6000 },
      { done: 6000, total: 6000 },
    ]);
    expect(await metrics.getAllUsers()).toEqual(["bob"]);
    await expectRightAnswers(metrics, plain);
    const usersInSums = async (): Promise<unknown[]> => (await plain.query(USERS_IN_SUMS)).rows;
    expect(await usersInSums()).not.toContainEqual({ user_id: "alice" });
    // Transactions of other tests keep rows out of the sums while they are open.
    await expect
      .poll(async () => {
        await metrics.getGlobalStats();
        return usersInSums();
      })
      .toEqual([{ user_id: "bob" }]);
    expect(await metrics.deleteBefore("9999-01-01")).toEqual({ interactions: 5970, metadata: 1990 });
    expect((await plain.query("SELECT 1 FROM interaction_metadata")).rows).toEqual([]);
    expect(await metrics.recount()).toEqual({ users: 0, wrongUsers: [], wrongTotals: false });
  });

  test("compares moments, and keeps rows without a readable time", async () => {
    const { metrics, plain } = await opened(postgres.url, 0);
    const times = ["2024-01-01T00:30:00+02:00", "2024-01-01 00:30:00-02:00", "2024-01-01", "yesterday", "", "0"];
    await plain.query(
      `INSERT INTO interactions (user_id, level, success, timestamp)
       SELECT 'alice', 1, true, unnest FROM unnest($1::text[])`,
      [[...times, null]],
    );
    expect(await metrics.deleteBefore("2024-01-01T00:00:00.001")).toEqual({ interactions: 2, metadata: 0 });
    expect((await plain.query("SELECT timestamp FROM interactions ORDER BY id")).rows).toEqual(
      [times[1], ...times.slice(3), null].map((timestamp) => ({ timestamp })),
    );
  });

  test("takes any ids and any text", async () => {
    const { metrics, plain } = await opened(postgres.url, 0, ON_CITUS ? {} : { partitions: 3 });
    const [lowest, highest] = ["-9223372036854775808", "9223372036854775807"];
    await plain.query(`INSERT INTO interactions (id, user_id, level, success) SELECT id, user_id, 1, true
      FROM unnest(ARRAY[${lowest}, 5, ${highest}]) AS id, unnest(ARRAY['alice', 'bob', U&'\\FFFD']) AS user_id`);
    for (const user of ["\uD800", "a\0", "nobody"])
      expect(await metrics.forgetUser(user)).toEqual({ interactions: 0, metadata: 0 });
    expect(await metrics.forgetUser("alice")).toEqual({ interactions: 3, metadata: 0 });
    await expect(metrics.forgetUser("")).resolves.toEqual({ interactions: 0, metadata: 0 });
    expect(await metrics.deleteBefore("9999-01-01T00:00:00")).toEqual({ interactions: 6, metadata: 0 });
    await expect(metrics.deleteBefore("soon")).rejects.toMatchObject({ code: "PERDURA_VALIDATION", argument: "time" });
  });

  test("keeps rows that a writer records meanwhile, with any id", async () => {
    const { metrics, plain, schema } = await opened(postgres.url, 20_000);
    const writer = metricsIn(postgres.url, { schema });
    const open = await plain.connect();
    await open.query("BEGIN; INSERT INTO interactions (id, user_id, level, success) VALUES (-7, 'alice', 5, true)");
    const recorded: Promise<number>[] = [];
    const onProgress = (): void => {
      if (recorded.length === 0) void open.query("COMMIT").then(() => open.release());
      recorded.push(writer.recordInteraction("alice", 4, true, 1));
    };
    const deleted = await metrics.forgetUser("alice", { onProgress });
    expect(deleted.interactions).toBe(10_000);
    const ids = await Promise.all(recorded);
    expect(ids.length).toBeGreaterThan(2);
    const { rows } = await plain.query<{ id: number }>(
      "SELECT id::int FROM interactions WHERE user_id = 'alice' ORDER BY id",
    );
    expect(rows.map(({ id }) => id)).toEqual([-7, ...ids]);
    await expectRightAnswers(metrics, plain);
  });

  test("can be repeated after its process was killed in the middle", async () => {
    const { metrics, plain, schema } = await opened(postgres.url, 20_000);
    await metrics.getGlobalStats();
    const program = programWords(new URL("programs/forget.ts", import.meta.url));
    const child = spawn(process.execPath, [...program, postgres.url, schema, "alice"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [done] = (await once(createInterface(child.stdout), "line")) as [string];
    child.kill("SIGKILL");
    await once(child, "close");
    expect(Number(done)).toBe(4000);
    await expectRightAnswers(metrics, plain);
    expect((await metrics.getUserStats("alice")).total_operations).toBe(6000);
    expect((await metrics.forgetUser("alice")).interactions).toBe(6000);
    await expectRightAnswers(metrics, plain);
    expect(
      (
        await plain.query(`SELECT 1 FROM interaction_metadata AS m LEFT JOIN interactions AS i ON i.id = m.interaction_id${ON_CITUS ? " AND i.user_id = m.user_id" : ""}
      WHERE i.user_id IS DISTINCT FROM 'bob'`)
      ).rows,
    ).toEqual([]);
  });

  test("stops if the caller's function fails, and leaves right answers", async () => {
    const { metrics, plain } = await opened(postgres.url, 10_000);
    const failure = new Error("mine");
    const onProgress = (): never => {
      throw failure;
    };
    await expect(metrics.deleteBefore("2030-01-01", { onProgress })).rejects.toBe(failure);
    expect((await metrics.getGlobalStats()).total_interactions).toBe(6000);
    await expectRightAnswers(metrics, plain);
  });

  test("by a role without the privilege names it", async () => {
    const { plain, schema } = await opened(postgres.url, 10);
    const reader = metricsIn(await asNewRole(postgres.url, schema, plain, "SELECT"), { schema });
    await expect(reader.forgetUser("alice")).rejects.toMatchObject({
      code: "PERDURA_STORAGE",
      message: expect.stringMatching(/may not delete interactions\. Nothing was deleted\. Grant it DELETE/) as string,
    });
    const deleter = metricsIn(await asNewRole(postgres.url, schema, plain, "SELECT, DELETE"), { schema });
    await expect(deleter.forgetUser("alice", { erase: true })).rejects.toMatchObject({
      code: "PERDURA_STORAGE",
      message: expect.stringMatching(
        /only their owner may do\. Nothing was deleted.* VACUUM \(FULL, ANALYZE\)/,
      ) as string,
    });
    expect(await deleter.forgetUser("alice")).toEqual({ interactions: 5, metadata: 1 });
  });
});

describeWithPostgres("erasing", (postgres) => {
  /** The tables and indexes whose files contain a text. */
  const FILES = `SELECT relname FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace WHERE nspname = current_schema() AND relkind IN ('r', 'i')
    AND position(convert_to($1, 'UTF8') IN pg_read_binary_file(pg_relation_filepath(pg_class.oid))) > 0 ORDER BY 1`;

  const plainTables = needs("plain-tables", ON_CITUS);

  test.for(LAYOUTS)("leaves nothing in the files of the tables, in %s", plainTables, async ([, options]) => {
    // Snapshots of other tests in the same database would keep row versions.
    const database = await newDatabase(postgres.serverUrl);
    onTestFinished(() => database.drop());
    const { metrics, plain } = await opened(database.url, 0, options);
    const rows = Array.from({ length: 3000 }, (_, row) => ({
      user_id: row % 2 === 0 ? "alice@example.org" : "bob@example.org",
      success: true,
      response_time_ms: 1,
      metadata: { secret: row % 2 === 0 ? "hers-alone" : "his-alone" },
    }));
    await metrics.recordMany(rows);
    await metrics.getGlobalStats();
    const files = async (text: string): Promise<string[]> => {
      await plain.query("CHECKPOINT");
      const { rows: found } = await plain.query<{ relname: string }>(FILES, [text]);
      return found.map(({ relname }) => relname);
    };
    const both = async (): Promise<string[]> => [...(await files("alice@example.org")), ...(await files("hers-alone"))];
    expect(await metrics.forgetUser("alice@example.org")).toEqual({ interactions: 1500, metadata: 1500 });
    expect(await both()).not.toEqual([]);

    const open = await plain.connect();
    await open.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await open.query("SELECT 1");
    const older = metricsIn(database.url, { schema: await schemaOf(plain), busyTimeoutMs: 200 });
    await metrics.forgetUser("bob@example.org");
    await expect(older.forgetUser("alice@example.org", { erase: true })).rejects.toMatchObject({
      code: "PERDURA_BUSY",
      mayBeWritten: true,
    });
    await open.query("COMMIT");
    open.release();

    // A transaction that writes is older for every snapshot, whatever its database is.
    const elsewhere = await otherProgram(postgres.serverUrl, "public").connect();
    await elsewhere.query("BEGIN");
    await elsewhere.query("SELECT pg_current_xact_id()");
    let isOver = false;
    const erased = metrics.forgetUser("alice@example.org", { erase: true }).finally(() => (isOver = true));
    const looks = new Set<string>();
    await vi.waitUntil(async () => {
      const { rows: asking } = await plain.query<{ at: string }>(
        "SELECT query_start::text AS at FROM pg_stat_activity WHERE query LIKE 'SELECT 1 FROM pg_stat_activity%'",
      );
      for (const { at } of asking) looks.add(at);
      return isOver || looks.size > 5;
    }, PATIENCE_MS);
    await elsewhere.query("COMMIT");
    elsewhere.release();
    expect(await erased).toEqual({ interactions: 0, metadata: 0 });
    expect(await both()).toEqual([]);
    expect(await files("his-alone")).toEqual([]);
    expect(await metrics.recordInteraction("carol", 1, true, 1)).toBe(3001);
    await expectRightAnswers(metrics, plain);
  });
});

/** SQL for the tables of the workers whose files contain the text `alice@example.org`. */
const FILES_OF_WORKERS = `SELECT DISTINCT result AS files FROM run_command_on_workers($$
  SELECT coalesce(string_agg(relname, ' '), '') FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace
  WHERE nspname LIKE 'unusual%' AND relkind IN ('r', 'i')
    AND position(convert_to('alice@' || 'example.org', 'UTF8') IN pg_read_binary_file(pg_relation_filepath(pg_class.oid))) > 0$$)`;

describeWithPostgres("erasing on a cluster", (postgres) => {
  const cluster = needs("citus", !ON_CITUS);

  const alice = "alice@example.org";

  /** Rows of two users, the tables of the workers that contain one of them, and a role that may only delete. */
  async function erasing() {
    const database = await newDatabase(postgres.serverUrl);
    onTestFinished(() => database.drop());
    const { metrics, plain, schema } = await opened(database.url, 0, { breakdown: { keys: ["tool"] } });
    await metrics.recordMany(
      Array.from({ length: 3000 }, (_, row) => ({
        user_id: row % 2 === 0 ? alice : "bob",
        success: true,
        response_time_ms: 1,
        metadata: { tool: row % 2 === 0 ? alice : "bob" },
      })),
    );
    await metrics.getGlobalStats();
    const files = async (): Promise<unknown[]> => {
      await plain.query("SELECT run_command_on_workers('CHECKPOINT')");
      return (await plain.query(FILES_OF_WORKERS)).rows;
    };
    return { database, metrics, plain, schema, files };
  }

  test("leaves nothing in the files of the workers", cluster, async () => {
    const { database, metrics, plain, files } = await erasing();
    expect(await metrics.forgetUser(alice)).toEqual({ interactions: 1500, metadata: 1500 });
    expect(await files()).not.toEqual([{ files: "" }]);
    // A transaction that may still read the rows, on a worker.
    const open = await plain.connect();
    await open.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await open.query("SELECT count(*) FROM patterns, perdura_shards");
    const older = metricsIn(database.url, { schema: await schemaOf(plain), busyTimeoutMs: 200 });
    await metrics.forgetUser("bob");
    await expect(older.forgetUser(alice, { erase: true })).rejects.toMatchObject({
      code: "PERDURA_BUSY",
      mayBeWritten: true,
    });
    await open.query("COMMIT");
    open.release();
    expect(await metrics.forgetUser(alice, { erase: true })).toEqual({ interactions: 0, metadata: 0 });
    expect(await files()).toEqual([{ files: "" }]);
    for (let time = 0; time < 2; time += 1) await expectRightAnswers(metrics, plain);
    expect(await metrics.recount()).toMatchObject({ wrongUsers: [], wrongTotals: false });
  });

  test("is refused with the commands that leave nothing in the files of the workers", cluster, async () => {
    const { database, metrics, plain, schema, files } = await erasing();
    const deleter = metricsIn(await asNewRole(database.url, schema, plain, "SELECT, DELETE"), { schema });
    const refused = await deleter.forgetUser(alice, { erase: true }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "PERDURA_STORAGE" });
    expect(await metrics.forgetUser(alice)).toEqual({ interactions: 1500, metadata: 1500 });
    expect(await files()).not.toEqual([{ files: "" }]);
    const commands = /transaction is open: (.*)$/.exec((refused as Error).message)?.[1] ?? "";
    // Transactions of the cluster itself may still read the rows.
    await expect
      .poll(async () => {
        for (const command of commands.split(/; (?=VACUUM|SELECT)/)) await plain.query(command);
        return files();
      })
      .toEqual([{ files: "" }]);
    for (let time = 0; time < 2; time += 1) await expectRightAnswers(metrics, plain);
    expect(await metrics.recount()).toMatchObject({ wrongUsers: [], wrongTotals: false });
  });
});

async function schemaOf(plain: Pool): Promise<string> {
  const { rows } = await plain.query<{ schema: string }>("SELECT current_schema() AS schema");
  return rows[0]?.schema ?? "";
}
