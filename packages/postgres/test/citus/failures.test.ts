import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { PostgresMetricsCollector } from "../../src/index.ts";
import { countedRows } from "../counted_rows.ts";
import { metricsIn, newSchema, otherProgram } from "../elements.ts";
import { describeOnCitus, LAYOUT } from "./cluster.ts";

describeOnCitus("failing workers", (cluster) => {
  test("what a worker refuses at the end of a transaction is not acknowledged, and nothing else of the call is stored", async () => {
    const name = newSchema();
    const metrics = metricsIn(cluster.url, { ...LAYOUT, schema: name });
    const other = otherProgram(cluster.url, name);
    const users = Array.from({ length: 40 }, (_, index) => `u${index}`);
    await metrics.recordMany([...users, "refused"].map((user_id) => ({ user_id, success: true, response_time_ms: 1 })));
    await other.query(
      "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''refused''; END'",
    );
    // Deferred: the worker fails when it commits or prepares the transaction, like one that is killed then.
    const made = await other.query(
      `SELECT bool_and(success) AS everywhere FROM run_command_on_shards('interactions', format(
         'CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON %%s DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW WHEN (NEW.user_id = ''refused'') EXECUTE FUNCTION %I.refuse()', current_schema()))`,
    );
    expect(made.rows).toEqual([{ everywhere: true }]);
    const many = [...users.slice(0, 20), "refused", ...users.slice(20)];
    const rows = many.map((user_id) => ({ user_id, success: true, response_time_ms: 1 }));
    const pool = new pg.Pool({ connectionString: cluster.url });
    onTestFinished(() => pool.end());
    const ofPool = new PostgresMetricsCollector(pool, { ...LAYOUT, schema: name });
    const ways: Record<string, () => Promise<unknown>> = {
      "one interaction": () => metrics.recordInteraction("refused", 2, true, 1),
      "one at the current level": () => metrics.recordMetric("refused", true, 1),
      "one with metadata": () => metrics.recordMetric("refused", true, 1, { a: 1 }),
      "one with a key": () => metrics.recordMetric("refused", true, 1, { a: 1 }, { idempotencyKey: "one" }),
      "many at the current level": () => metrics.recordMany(rows),
      "many at a level": () => metrics.recordMany(rows.map((row) => ({ ...row, level: 2 }))),
      "many with metadata": () => metrics.recordMany(rows.map((row) => ({ ...row, metadata: { a: 1 } }))),
      "many with a key": () => metrics.recordMany(rows, { idempotencyKey: "many" }),
      "one, through a pool of the caller": () => ofPool.recordMetric("refused", true, 1),
      "many, through a pool of the caller": () => ofPool.recordMany(rows),
      "more than one statement": () =>
        metrics.recordMany(Array.from({ length: 20_500 }, (_, index) => rows[index % 41] as (typeof rows)[number])),
    };
    const expected = { total_interactions: 41 };
    for (const [way, record] of Object.entries(ways)) {
      await expect(record(), way).rejects.toMatchObject({ code: "PERDURA_STORAGE" });
      expect(await metrics.getGlobalStats(), way).toMatchObject(expected);
    }
    const places = await other.query<{ same: boolean }>(
      `SELECT groupid = first_value(groupid) OVER (ORDER BY given <> 'refused') AS same
       FROM unnest($1::text[]) WITH ORDINALITY AS chosen (given, place)
       JOIN pg_dist_placement ON shardid = get_shard_id_for_distribution_column('interactions', given) ORDER BY place`,
      [many],
    );
    const ofItsWorker = many.filter((_, index) => places.rows[index]?.same);
    expect(ofItsWorker.length).toBeLessThan(many.length);
    const writer = metrics.writer();
    const answers = await Promise.allSettled(many.map((user) => writer.recordInteraction(user, 2, true, 1)));
    expect(many.filter((_, index) => answers[index]?.status === "rejected")).toEqual(ofItsWorker);
    expect(await metrics.getGlobalStats()).toMatchObject({ total_interactions: 82 - ofItsWorker.length });
    const counted = await countedRows(other);
    expect(counted.user("refused")).toMatchObject({ total_operations: 1 });
  });
});
