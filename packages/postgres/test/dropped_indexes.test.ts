import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import type { Pool } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { type PostgresClient, PostgresTables } from "../src/tables.ts";
import { asNewRole, metricsIn, newSchema, otherProgram } from "./elements.ts";
import { LAYOUTS } from "./layouts.ts";

/** All indexes of the schema except those of keys, as PostgreSQL describes them. */
async function indexesOf(other: Pool): Promise<unknown[]> {
  const { rows } = await other.query<{ built: string }>(
    `SELECT pg_get_indexdef(indexrelid) AS built FROM pg_index
     WHERE indrelid = 'interactions'::regclass AND NOT indisprimary ORDER BY built`,
  );
  return rows;
}

/** Drops or creates the indexes in a transaction. */
async function change(tables: PostgresTables, which: "dropIndexes" | "createIndexes"): Promise<void> {
  const client = await connectionOf(tables);
  await tables.begin(client, "write");
  await tables[which](client);
  await client.query("COMMIT");
}

/** A connection that is closed after the test, also if the test fails. */
async function connectionOf(pool: { connect: () => Promise<PostgresClient> }): Promise<PostgresClient> {
  const client = await pool.connect();
  onTestFinished(() => client.release(true));
  return client;
}

function tablesIn(...given: ConstructorParameters<typeof PostgresTables>): PostgresTables {
  const tables = new PostgresTables(...given);
  onTestFinished(() => tables.close());
  return tables;
}

describeWithPostgres("the indexes of interactions", (postgres) => {
  test.for(LAYOUTS)(
    "are dropped from an empty table, and created again with the same columns: %s",
    async ([, layout]) => {
      const schema = newSchema();
      const other = otherProgram(postgres.url, schema);
      const tables = tablesIn(postgres.url, { schema, ...layout });
      await tables.ensure();
      const before = await indexesOf(other);
      expect(before).toHaveLength(4);
      await change(tables, "dropIndexes");
      expect(await indexesOf(other)).toEqual([]);
      await other.query(
        "INSERT INTO interactions (user_id, level, success) SELECT 'a', 1, true FROM generate_series(1, 30)",
      );
      expect((await metricsIn(postgres.url, { schema }).getUserStats("a")).total_operations).toBe(30);
      await change(tables, "createIndexes");
      expect(await indexesOf(other)).toEqual(before);
      await change(tables, "dropIndexes");
      expect(await indexesOf(other)).toEqual(before);
      await other.query("DROP INDEX idx_interactions_user");
      await tables.refresh();
      expect(await indexesOf(other)).toEqual(before);
    },
  );

  test("stay if another program uses the table, or if the role does not own it", async () => {
    const schema = newSchema();
    const other = otherProgram(postgres.url, schema);
    const tables = tablesIn(postgres.url, { schema });
    await tables.ensure();
    const before = await indexesOf(other);
    const reader = await connectionOf(other);
    await reader.query("BEGIN; SELECT FROM interactions");
    await change(tables, "dropIndexes");
    await reader.query("COMMIT");
    const asRole = tablesIn(await asNewRole(postgres.url, schema, other, "ALL"), { schema });
    await change(asRole, "dropIndexes");
    expect(await indexesOf(other)).toEqual(before);
    await other.query("INSERT INTO interactions (user_id, level, success) VALUES ('a', 1, true)");
    const client = await connectionOf(asRole);
    await asRole.begin(client, "write");
    await client.query(`INSERT INTO ${sqlName(schema)}.interactions (user_id, level, success) VALUES ('a', 1, true)`);
    // Programs that record are not waited for: nothing is missing.
    await change(asRole, "createIndexes");
    await client.query("COMMIT");
    await other.query("DROP INDEX idx_interactions_user");
    await change(asRole, "createIndexes");
    expect(await indexesOf(other)).toHaveLength(3);
  });
});
