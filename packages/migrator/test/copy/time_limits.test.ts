import { join } from "node:path";
import { PostgresTables } from "@perdura/postgres/tables";
import { installedPgBouncer } from "@perdura/test-servers/pgbouncer/installed_pgbouncer.js";
import { type PgBouncer, startPgBouncer } from "@perdura/test-servers/pgbouncer/pgbouncer.js";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { expect, test, type TestContext, vi } from "vitest";
import { PATIENCE_MS } from "../../../../test/patience.ts";
import { copyData } from "../../src/index.ts";
import { temporaryFolder } from "../../../../test/temporary_folder.ts";
import { freshFolder } from "../support/folder.ts";
import { contentOf, makeDatabase, patternRow } from "./both_sides.ts";
import { slowDatabase } from "./slow_database.ts";
import { needs } from "../../../../test/needs.ts";
import { atShortLimit } from "../../../../test/short_limit.ts";

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

const NEEDS_PGBOUNCER = needs("pgbouncer", installedPgBouncer() === undefined);

/** A shorter one often ends a connection of a loaded machine before the copy can lift it. */
const FIRST_LIMIT_MS = 400;

// Concurrently: the tests wait almost all the time.
describeWithPostgres("a database in which each write takes longer than a statement may", (postgres) => {
  async function expectThereAndBack(url: string): Promise<void> {
    const folder = temporaryFolder(place);
    const done = { exit_code: 0, verified: true };
    expect(await copyData(makeDatabase(join(folder, "m.db"), ROWS), url)).toMatchObject(done);
    const other = makeDatabase(join(folder, "other.db"), OTHER_ROWS);
    expect(await copyData(other, url, { replace: true })).toMatchObject(done);
    expect(await copyData(url, join(folder, "back.db"))).toMatchObject(done);
    expect(contentOf(join(folder, "back.db"))).toEqual(contentOf(other));
  }

  async function overPgBouncer(url: string, { onTestFinished }: TestContext): Promise<string> {
    const pooler = (await startPgBouncer({ url })) as PgBouncer;
    onTestFinished(() => pooler.stop());
    return pooler.url;
  }

  test.concurrent("is copied to, summed and read", (context) =>
    atShortLimit(async (limitMs) => {
      const { url, other } = await slowDatabase(postgres.serverUrl, context, { limitMs });
      await expectThereAndBack(url);
      const tables = new PostgresTables(url);
      context.onTestFinished(() => tables.close());
      // Once no transaction of other tests is older.
      await vi.waitUntil(async () => {
        await tables.refresh();
        const { rows } = await other.query<{ operations: string }>("SELECT operations FROM perdura_user_rollup");
        return rows[0]?.operations === "1";
      }, PATIENCE_MS);
    }, FIRST_LIMIT_MS));

  test.concurrent("keeps a connection that waits for the other one", (context) =>
    atShortLimit(async (limitMs) => {
      // Both connections have rows of patterns and of interactions; only one gets the slow row between them.
      const { url } = await slowDatabase(postgres.serverUrl, context, { written: ["pattern_usage"], limitMs });
      const many = Array.from({ length: 1500 }, (_, index) => index + 1);
      const source = makeDatabase(join(temporaryFolder(place), "m.db"), {
        patterns: many.map((index) => patternRow(`p${index}`, BigInt(index))),
        usage: [[1n, "p1", "a", 1n, "then"]],
        interactions: many.map((index) => [BigInt(index), "u", 3n, 1n, 1.5, "then"]),
      });
      expect(await copyData(source, url)).toMatchObject({ exit_code: 0, verified: true });
    }, FIRST_LIMIT_MS));

  test.concurrent("is copied to over PgBouncer", NEEDS_PGBOUNCER, (context) =>
    atShortLimit(async (limitMs) => {
      const { url } = await slowDatabase(postgres.serverUrl, context, { limitMs });
      await expectThereAndBack(await overPgBouncer(url, context));
    }, FIRST_LIMIT_MS),
  );

  const expectRead = (context: TestContext, throughOf: (url: string) => Promise<string>): Promise<void> =>
    atShortLimit(async (limitMs) => {
      const { url, other } = await slowDatabase(postgres.serverUrl, context, { limitMs });
      const source = makeDatabase(join(temporaryFolder(place), "m.db"), ROWS);
      await copyData(source, url);
      const through = await throughOf(url);
      const back = join(temporaryFolder(place), "back.db");
      await other.query("BEGIN; LOCK TABLE pattern_usage IN ACCESS EXCLUSIVE MODE");
      const copied = copyData(through, back);
      await vi.waitUntil(async () => {
        const { rowCount } = await other.query(
          "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'pattern_usage'::regclass",
        );
        return rowCount !== 0;
      }, PATIENCE_MS);
      await other.query(`SELECT pg_sleep(${(limitMs + 100) / 1000})`);
      await other.query("COMMIT");
      expect(await copied).toMatchObject({ exit_code: 0, verified: true });
      expect(contentOf(back)).toEqual(contentOf(source));
      expect(await copyData(source, through)).toMatchObject({ exit_code: 0, verified: true });
    }, FIRST_LIMIT_MS);

  test.concurrent("is read without a time limit", (context) => expectRead(context, async (url) => url));

  test.concurrent("is read without a time limit over PgBouncer", NEEDS_PGBOUNCER, (context) =>
    expectRead(context, (url) => overPgBouncer(url, context)),
  );
});
