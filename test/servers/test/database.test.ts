import { describe, expect, onTestFinished, test } from "vitest";
import { newDatabase } from "../src/postgres/database.ts";
import { installedBinaries } from "../src/postgres/installed_binaries.ts";
import { startPostgres } from "../src/postgres/server.ts";
import { until } from "../src/processes/until.ts";
import { busyConnection, query } from "./query.ts";
import { needs } from "../../needs.ts";

const NONE = installedBinaries() === undefined;

/** A vacuum begins as soon as it can, and then sleeps after each page. */
const SLOW_VACUUM = {
  autovacuum_naptime: "1",
  autovacuum_vacuum_threshold: "1",
  autovacuum_vacuum_cost_limit: "1",
  autovacuum_vacuum_cost_delay: "100",
};

describe("a database of a plain user", needs("postgres", NONE), () => {
  test("is dropped during connections and during an autovacuum", async () => {
    const server = await startPostgres({ settings: SLOW_VACUUM });
    onTestFinished(() => server.stop());
    await query(server.url, "CREATE ROLE plain LOGIN CREATEDB");
    const database = await newDatabase(server.url.replace("postgres@", "plain@"));
    await query(
      database.url,
      "CREATE TABLE rows AS SELECT id FROM generate_series(1, 100000) AS id",
      "DELETE FROM rows WHERE id % 2 = 0",
    );
    const connection = await busyConnection(database.url);
    const vacuums = `SELECT 1 FROM pg_stat_activity WHERE backend_type = 'autovacuum worker' AND datname = '${database.name}'`;
    await until("a vacuum of the database", async () => (await query(server.url, vacuums)).length > 0);
    await database.drop();
    expect(await connection.ended).toMatchObject({ code: "57P01" });
    expect(await query(server.url, `SELECT datname FROM pg_database WHERE datname = '${database.name}'`)).toEqual([]);
  });
});
