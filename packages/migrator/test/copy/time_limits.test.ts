import { join } from "node:path";
import { PostgresTables } from "@perdura/postgres/tables";
import { startPgBouncer } from "@perdura/test-servers/pgbouncer/pgbouncer.js";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { expect, test, vi } from "vitest";
import { PATIENCE_MS } from "../../../../test/patience.ts";
import { copyData } from "../../src/index.ts";
import { temporaryFolder } from "../../../../test/temporary_folder.ts";
import { freshFolder } from "../support/folder.ts";
import { contentOf, makeDatabase, patternRow } from "./both_sides.ts";
import { slowDatabase } from "./slow_database.ts";
import { skipWithout } from "../../../../test/needs.ts";

/** Has a folder for each test. */
const place = freshFolder();

const ROWS = {
  patterns: [patternRow("p", 1n, { context: "{}" })],
  usage: [[1n, "p", "a", 1n, "then"]],
  interactions: [[1n, "u", 3n, 1n, 1.5, "then"]],
  metadata: [[1n, "{}"]],
};
const OTHER_ROWS = {
  ...ROWS,
  patterns: [patternRow("p", 1n, { context: "[]" })],
  interactions: [[1n, "u", 4n, 1n, 1.5, "then"]],
};

// Concurrently: the tests wait almost all the time.
describeWithPostgres("a database whose statements may take four tenths of a second", (postgres) => {
  async function expectThereAndBack(url: string): Promise<void> {
    const folder = temporaryFolder(place);
    const done = { exit_code: 0, verified: true };
    expect(await copyData(makeDatabase(join(folder, "m.db"), ROWS), url)).toMatchObject(done);
    const other = makeDatabase(join(folder, "other.db"), OTHER_ROWS);
    expect(await copyData(other, url, { replace: true })).toMatchObject(done);
    expect(await copyData(url, join(folder, "back.db"))).toMatchObject(done);
    expect(contentOf(join(folder, "back.db"))).toEqual(contentOf(other));
  }

  test.concurrent("is copied to, summed and read", async (context) => {
    const { url, other } = await slowDatabase(postgres.serverUrl, context);
    await expectThereAndBack(url);
    const tables = new PostgresTables(url);
    context.onTestFinished(() => tables.close());
    // Once no transaction of other tests is older.
    await vi.waitUntil(async () => {
      await tables.refresh();
      const { rows } = await other.query<{ operations: string }>("SELECT operations FROM perdura_user_rollup");
      return rows[0]?.operations === "1";
    }, PATIENCE_MS);
  });

  test.concurrent("keeps a connection that waits for the other one", async (context) => {
    // Both connections have rows of patterns and of interactions; only one gets the slow row between them.
    const { url } = await slowDatabase(postgres.serverUrl, context, ["pattern_usage"]);
    const many = Array.from({ length: 1500 }, (_, index) => index + 1);
    const source = makeDatabase(join(temporaryFolder(place), "m.db"), {
      patterns: many.map((index) => patternRow(`p${index}`, BigInt(index))),
      usage: [[1n, "p1", "a", 1n, "then"]],
      interactions: many.map((index) => [BigInt(index), "u", 3n, 1n, 1.5, "then"]),
    });
    expect(await copyData(source, url)).toMatchObject({ exit_code: 0, verified: true });
  });

  test.concurrent("is copied to over PgBouncer", async (context) => {
    const { url } = await slowDatabase(postgres.serverUrl, context);
    const pooler = await startPgBouncer({ url });
    if (pooler === undefined) return skipWithout("pgbouncer", context);
    context.onTestFinished(() => pooler.stop());
    await expectThereAndBack(pooler.url);
  });

  test.concurrent.for(["direct", "PgBouncer"])("is read without a time limit, %s", async (way, context) => {
    const { url, other } = await slowDatabase(postgres.serverUrl, context);
    const source = makeDatabase(join(temporaryFolder(place), "m.db"), ROWS);
    await copyData(source, url);
    let through = url;
    if (way === "PgBouncer") {
      const pooler = await startPgBouncer({ url });
      if (pooler === undefined) return skipWithout("pgbouncer", context);
      context.onTestFinished(() => pooler.stop());
      through = pooler.url;
    }
    const back = join(temporaryFolder(place), "back.db");
    await other.query("BEGIN; LOCK TABLE pattern_usage IN ACCESS EXCLUSIVE MODE");
    const copied = copyData(through, back);
    await vi.waitUntil(async () => {
      const { rowCount } = await other.query(
        "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'pattern_usage'::regclass",
      );
      return rowCount !== 0;
    }, PATIENCE_MS);
    await other.query("SELECT pg_sleep(0.5)");
    await other.query("COMMIT");
    expect(await copied).toMatchObject({ exit_code: 0, verified: true });
    expect(contentOf(back)).toEqual(contentOf(source));
    expect(await copyData(source, through)).toMatchObject({ exit_code: 0, verified: true });
  });
});
