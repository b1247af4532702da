import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { expect, test, vi } from "vitest";
import { Connection } from "../src/connection/connection.ts";
import { checkedOptions } from "../src/connection/options.ts";
import type { Names } from "../src/layout/names.ts";
import { horizon } from "../src/layout/recorded_by.ts";
import { ensureTables } from "../src/layout/set_up.ts";
import { StatisticsReader } from "../src/metrics/statistics_reader.ts";
import { metricsIn, newSchema, otherProgram } from "./elements.ts";
import { FOLDED, LAYOUT, ON_CITUS } from "./layouts.ts";
import { PATIENCE_MS } from "../../../test/patience.ts";
import { needs } from "../../../test/needs.ts";

describeWithPostgres("folding", (postgres) => {
  test.each([
    ["a user", 200, (metrics: ReturnType<typeof metricsIn>) => metrics.getUserStats("u")],
    ["all users", 2000, (metrics: ReturnType<typeof metricsIn>) => metrics.getGlobalStats()],
  ] as const)("is done by a query about %s that counts more than %i rows", async (_, limit, ask) => {
    const schema = newSchema();
    const metrics = metricsIn(postgres.url, { schema });
    const others = otherProgram(postgres.url, schema);
    const record = (rows: number): Promise<number> =>
      metrics.recordMany(
        Array.from({ length: rows }, () => ({ user_id: "u", level: 1, success: true, response_time_ms: 1 })),
      );
    // The user's own, because a question about one user folds only one shard.
    const folded = "SELECT (operations - counted)::int AS operations FROM perdura_user_sums('u')";
    await record(limit);
    await ask(metrics);
    expect((await others.query(folded)).rows).toEqual([{ operations: 0 }]);
    await record(1);
    // Once no transaction of the cluster is older, including those of other tests; the last row may remain.
    await vi.waitUntil(async () => {
      await ask(metrics);
      return ((await others.query<{ operations: number }>(folded)).rows[0]?.operations ?? 0) >= limit;
    }, PATIENCE_MS);
  });

  /**
   * A schema in which `steps` has a row for each transaction that folded: the number of rows that the sums then contain, and
   * whether the server compiled its statements.
   */
  async function withSteps(schema: string): Promise<ReturnType<typeof otherProgram>> {
    const others = otherProgram(postgres.url, schema);
    await others.query(`CREATE TABLE steps (operations bigint, jit text DEFAULT current_setting('jit'));
      CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        EXECUTE format('INSERT INTO %I.steps (operations) VALUES ($1)', TG_TABLE_SCHEMA) USING NEW.operations; RETURN NULL; END $$;
      CREATE TRIGGER note AFTER UPDATE ON perdura_rollup FOR EACH ROW
        WHEN (NEW.operations > OLD.operations) EXECUTE FUNCTION note()`);
    return others;
  }

  /** Adds rows, each in a transaction of its own, and waits until all of them can be folded. */
  async function addOneByOne(others: ReturnType<typeof otherProgram>, rows: number, names: Names): Promise<void> {
    for (let row = 0; row < rows; row += 1)
      await others.query("INSERT INTO interactions (user_id, level, success) VALUES ('u', 1, true)");
    await vi.waitUntil(async () => {
      const { rows: found } = await others.query<{ all: boolean }>(
        `SELECT ${horizon(names)} > max(recorded_by) AS all FROM interactions`,
      );
      return found[0]?.all;
    }, PATIENCE_MS);
  }

  const stepsOf = async (others: ReturnType<typeof otherProgram>): Promise<number[]> =>
    (await others.query<{ operations: number }>("SELECT operations::int FROM steps ORDER BY 1")).rows.map(
      ({ operations }) => operations,
    );

  test("adds more rows in a transaction, the more the sums contain", needs("plain-tables", ON_CITUS), async () => {
    const schema = newSchema();
    await using connection = new Connection(postgres.url, checkedOptions({ schema, ...LAYOUT }));
    const { names } = await ensureTables(connection);
    const others = await withSteps(schema);
    await addOneByOne(others, 40, names);
    await new StatisticsReader(connection, names).foldAll(2);
    // At least two, then a quarter.
    expect(await stepsOf(others)).toEqual([2, 4, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40]);
    // A third of the time for the first million rows, if it did.
    expect((await others.query("SELECT DISTINCT jit FROM steps")).rows).toEqual([{ jit: "off" }]);
  });

  test(
    "adds fewer rows in a transaction that needs too much space for temporary files",
    needs("plain-tables", ON_CITUS),
    async () => {
      const schema = newSchema();
      await using connection = new Connection(postgres.url, checkedOptions({ schema, ...LAYOUT }));
      const { names } = await ensureTables(connection);
      const others = await withSteps(schema);
      await others.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION USING MESSAGE = 'temporary file size exceeds temp_file_limit', ERRCODE = '53400'; END $$;
      CREATE TRIGGER refuse BEFORE UPDATE ON perdura_rollup FOR EACH ROW
        WHEN (NEW.operations > OLD.operations + 2) EXECUTE FUNCTION refuse()`);
      await addOneByOne(others, 20, names);
      await new StatisticsReader(connection, names).foldAll(2);
      expect(await stepsOf(others)).toEqual([2, 4, 6, 8, 10, 12, 14, 16, 18, 20]);
    },
  );

  test(
    "processes many rows in several transactions, and never part of a recording transaction",
    needs("plain-tables", ON_CITUS),
    async () => {
      const schema = newSchema();
      await using connection = new Connection(postgres.url, checkedOptions({ schema, ...LAYOUT }));
      const questions = new StatisticsReader(connection, (await ensureTables(connection)).names);
      const others = await withSteps(schema);
      for (const rows of [1, 1, 5, 2, 1, 1])
        await others.query(`INSERT INTO interactions (user_id, level, success)
        SELECT 'u' || n % 2, 1 + n % 5, true FROM generate_series(1, ${rows}) AS n`);
      await vi.waitUntil(async () => {
        await questions.foldAll(2);
        return (await others.query<{ operations: number }>(FOLDED)).rows[0]?.operations === 11;
      }, PATIENCE_MS);
      const steps = await stepsOf(others);
      // At least as many: transactions of other tests may be older than some of these.
      expect(steps.length).toBeGreaterThanOrEqual(4);
      expect(steps.filter((operations) => operations > 2 && operations < 7)).toEqual([]);
      expect(await questions.global()).toEqual({ total_users: 2, total_interactions: 11, success_rate: 1 });
      expect((await questions.user("u0")).total_operations).toBe(3);
    },
  );
});
