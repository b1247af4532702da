import { askedBreakdown } from "@perdura/internals/metrics/breakdown/breakdown_arguments.js";
import { checkedRange } from "@perdura/internals/metrics/time_range.js";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { Connection, type Session } from "../src/connection/connection.ts";
import { checkedOptions } from "../src/connection/options.ts";
import { PostgresMetricsCollector } from "../src/index.ts";
import { ensureTables } from "../src/layout/set_up.ts";
import { readAnyBreakdown } from "../src/metrics/key_reader.ts";
import { readPercentiles } from "../src/metrics/percentile_reader.ts";
import { folded } from "./folded.ts";
import { metricsIn, newSchema, otherProgram } from "./elements.ts";

/** Number of rows of a table that the transaction has read so far. */
const READ = `SELECT coalesce(seq_tup_read + idx_tup_fetch, 0)::integer AS read FROM pg_stat_xact_user_tables
  WHERE relid = $1::regclass`;

describeWithPostgres("the plan of a question about a range", (postgres) => {
  const DAYS = 400;
  const OF_A_DAY = 50;
  const range = { since: "2026-03-01", until: "2026-03-02" };

  it("reads the rows of a few days", async () => {
    const schema = newSchema();
    const connection = new Connection(postgres.url, checkedOptions({ schema }));
    onTestFinished(() => connection.close());
    const tables = await ensureTables(connection);
    const program = otherProgram(postgres.url, schema);
    await program.query(
      `WITH added AS (INSERT INTO interactions (user_id, level, success, response_time_ms, timestamp)
         SELECT 'u' || row % 7, 3, true, 1, to_char(timestamp '2026-01-01' + row * interval '1 day' / ${OF_A_DAY}, 'YYYY-MM-DD HH24:MI:SS')
         FROM generate_series(0, ${DAYS * OF_A_DAY - 1}) AS row RETURNING id)
       INSERT INTO interaction_metadata (interaction_id, metadata) SELECT id, '{"tool": "search"}' FROM added`,
    );
    await program.query("ANALYZE interactions, interaction_metadata");
    const read = (question: (session: Session) => Promise<unknown>): Promise<number> =>
      connection.transaction("read", async (session) => {
        await question(session);
        const [found] = await session.query<{ read: number }>(READ, [tables.names.interactions]);
        return found?.read ?? 0;
      });
    expect(await metricsIn(postgres.url, { schema }).getBreakdown("tool", range)).toMatchObject([
      { value: "search", total_operations: OF_A_DAY },
    ]);
    expect(await read((session) => readAnyBreakdown(session, tables, askedBreakdown("tool", range)))).toBeLessThan(
      10 * OF_A_DAY,
    );
    const chosen = { user: undefined, range: checkedRange(range) };
    expect(await read((session) => readPercentiles(session, tables.names, chosen))).toBeLessThan(10 * OF_A_DAY);
  });
});

describeWithPostgres("the plan of a question about a user", (postgres) => {
  const schema = "plans";

  it("reads few rows, although the session made it for a small table", async () => {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const collector = new PostgresMetricsCollector(postgres.url, { schema });
    try {
      await collector.recordInteraction("alice", 3, true, 1);
      await client.query(`ALTER TABLE ${schema}.interactions SET (autovacuum_enabled = off)`);
      await client.query(`VACUUM (ANALYZE) ${schema}.interactions`);
      expect(await rowsReadFor(client, "alice")).toBeLessThan(10);

      await client.query(
        `INSERT INTO ${schema}.interactions (user_id, level, success, response_time_ms, timestamp)
         SELECT 'heavy', 3, true, 1, '2026-01-01 00:00:00' FROM generate_series(1, 20000)`,
      );
      expect(await rowsReadFor(client, "alice")).toBeLessThan(10);

      expect((await collector.getUserStats("heavy")).total_operations).toBe(20_000);
      const connection = new Connection(postgres.url, checkedOptions({ schema }));
      onTestFinished(() => connection.close());
      await folded(connection, await ensureTables(connection), otherProgram(postgres.url, schema));
      await client.query(`VACUUM (ANALYZE) ${schema}.interactions`);
      await collector.recordInteraction("heavy", 3, true, 1);
      expect(await rowsReadFor(client, "heavy")).toBeLessThan(10);
    } finally {
      await collector.close();
      await client.end();
    }
  });

  it("is made without compiling code, which takes fifty times as long as the question", async () => {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const collector = new PostgresMetricsCollector(postgres.url, { schema });
    try {
      await collector.getUserStats("alice");
      const { rows } = await client.query<{ name: string; settings: string[] }>(
        `SELECT proname AS name, proconfig AS settings FROM pg_proc JOIN pg_language AS used ON used.oid = prolang
         WHERE pronamespace = $1::regnamespace AND lanname = 'plpgsql' AND provolatile = 's'`,
        [schema],
      );
      expect(rows.map(({ name }) => name)).toContain("perdura_user_sums");
      expect(rows.filter(({ settings }) => !settings.includes("jit=off"))).toEqual([]);
    } finally {
      await collector.close();
      await client.end();
    }
  });

  /** Number of rows of interactions that the server reads for the statistics of a user. */
  async function rowsReadFor(client: pg.Client, user: string): Promise<number> {
    await client.query("BEGIN");
    await client.query(`SELECT * FROM ${schema}.perdura_user_sums($1)`, [user]);
    const { rows } = await client.query<{ read: number }>(READ, [`${schema}.interactions`]);
    await client.query("COMMIT");
    return rows[0]?.read ?? 0;
  }
});
