import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import pg from "pg";
import { expect, it } from "vitest";
import { PostgresMetricsCollector } from "../src/index.ts";

/** Section 2.3 of the specification. */
const STATED = {
  idx_interactions_timestamp: ["timestamp"],
  idx_interactions_user: ["user_id"],
  idx_patterns_agent: ["agent_id"],
  idx_patterns_confidence: ["confidence"],
  idx_patterns_type: ["pattern_type"],
};

describeWithPostgres("the indexes that the specification names", (postgres) => {
  const schema = "indexes";

  it("are on exactly the stated columns, also after a move to another cluster", async () => {
    const pool = new pg.Pool({ connectionString: postgres.url });
    try {
      const open = () => new PostgresMetricsCollector(pool, { schema });
      await open().recordInteraction("alice", 3, true, 1);
      expect(await indexesOf(pool)).toEqual(STATED);
      await pool.query(`UPDATE ${schema}.perdura_rollup SET table_id = table_id + 1`);
      await open().recordInteraction("alice", 3, true, 1);
      expect(await indexesOf(pool)).toEqual(STATED);
    } finally {
      await pool.end();
    }
  });

  async function indexesOf(pool: pg.Pool): Promise<Record<string, string[]>> {
    const { rows } = await pool.query<{ name: string; columns: string[] }>(
      `SELECT relname AS name, array_agg(attname::text ORDER BY attnum) AS columns
       FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
       WHERE relnamespace = $1::regnamespace AND relkind = 'i' AND relname LIKE 'idx\\_%' GROUP BY relname`,
      [schema],
    );
    return Object.fromEntries(rows.map(({ name, columns }) => [name, columns]));
  }
});
