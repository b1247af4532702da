import { Client } from "pg";
import { expect, test } from "vitest";
import { describeWithPostgres } from "../src/postgres/for_tests.ts";

describeWithPostgres("the server of a run", (postgres) => {
  test("answers", async () => {
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    expect((await client.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    await client.end();
  });
});
