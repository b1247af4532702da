import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import pg from "pg";
import { expect, it } from "vitest";
import { PostgresMetricsCollector } from "../src/index.ts";

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

      // Answers from the rows, and folds them.
      expect((await collector.getUserStats("heavy")).total_operations).toBe(20_000);
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
    const { rows } = await client.query<{ read: number }>(
      `SELECT (seq_tup_read + idx_tup_fetch)::integer AS read FROM pg_stat_xact_user_tables
       WHERE relid = '${schema}.interactions'::regclass`,
    );
    await client.query("COMMIT");
    return rows[0]?.read ?? 0;
  }
});
