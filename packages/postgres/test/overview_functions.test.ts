import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import pg from "pg";
import { expect, it } from "vitest";
import { PostgresMetricsCollector } from "../src/index.ts";
import { namesIn } from "../src/layout/names.ts";
import { overviewFunctions } from "../src/layout/overview_functions.ts";

describeWithPostgres("the overview functions of a shard", (postgres) => {
  it("answer in the tables of one server like its collector, with sums and without", async () => {
    const schema = "overview_functions";
    const names = namesIn(schema);
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const collector = new PostgresMetricsCollector(postgres.url, { schema });
    try {
      const record = async (user: string, rows: number): Promise<void> => {
        await collector.recordMany(
          Array.from({ length: rows }, (_, row) => ({
            user_id: user,
            level: 1 + (row % 5),
            success: row % 3 > 0,
            response_time_ms: row,
          })),
        );
      };
      const answers = async (): Promise<unknown[]> => {
        const [totals] = (await client.query(`SELECT * FROM ${names.overview}()`)).rows;
        const top = (await client.query(`SELECT * FROM ${names.topUsers}(2)`)).rows;
        return [totals.users, totals.operations, totals.successes, totals.dated, top];
      };
      await record("alice", 3);
      for (const sql of overviewFunctions(names)) await client.query(sql);
      await record("bob", 5);
      const top = [
        { user_id: "bob", operations: "5" },
        { user_id: "alice", operations: "3" },
      ];
      expect(await answers()).toEqual(["2", "8", "5", "8", top]);

      await record("carol", 20_000);
      // Answers from the rows, and folds them.
      await collector.getUserStats("carol");
      await client.query(`UPDATE ${names.interactions} SET user_id = 'dave' WHERE user_id = 'alice'`);
      await record("bob", 1);
      const after = [
        { user_id: "carol", operations: "20000" },
        { user_id: "bob", operations: "6" },
      ];
      expect(await answers()).toEqual(["3", "20009", "13338", "20009", after]);
    } finally {
      await collector.close();
      await client.end();
    }
  });
});
