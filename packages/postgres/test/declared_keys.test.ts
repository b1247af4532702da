import { askedBreakdown } from "@perdura/internals/metrics/breakdown/breakdown_arguments.js";
import type { BreakdownOptions } from "@perdura/internals/metrics/breakdown/breakdown.js";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { expect, onTestFinished, test } from "vitest";
import { Connection } from "../src/connection/connection.ts";
import { checkedOptions } from "../src/connection/options.ts";
import { ensureTables } from "../src/layout/set_up.ts";
import { readBreakdown } from "../src/metrics/breakdown_reader.ts";
import { PostgresTables } from "../src/tables.ts";
import { DECLARED, expectBreakdowns, LONG } from "./counted_breakdowns.ts";
import { asNewRole, metricsIn, newSchema, otherProgram } from "./elements.ts";
import { folded } from "./folded.ts";
import { countInSums, inSums, LAYOUT, ON_CITUS, TABLES_OF_SUMS } from "./layouts.ts";

/** More rows than percentiles are exact for, so that sums answer. */
const MANY = 101_000;

/** A schema with declared keys. */
async function declaring(url: string) {
  const schema = newSchema();
  const metrics = metricsIn(url, { schema, breakdown: DECLARED });
  await metrics.getAllUsers();
  const connection = new Connection(url, checkedOptions({ ...LAYOUT, schema }));
  onTestFinished(() => connection.close());
  const tables = await ensureTables(connection);
  const program = otherProgram(url, schema);
  const ofUser = ON_CITUS ? ", user_id" : "";
  return {
    schema,
    metrics,
    connection,
    tables,
    program,
    /** Adds rows whose key `tool` has a value of SQL, from the number `row`. */
    add: async (rows: number, tool: string, user = "a") => {
      const client = await program.connect();
      try {
        await client.query("BEGIN");
        const last = await client.query<{ id: string }>("SELECT coalesce(max(id), 0)::text AS id FROM interactions");
        await client.query(
          `INSERT INTO interactions (user_id, level, success, response_time_ms, timestamp)
             SELECT $1, 2, row % 4 > 0, row % 1000, '2026-01-0' || 1 + row % 3 || ' 10:00:00' FROM generate_series(1, $2::int) AS row`,
          [user, rows],
        );
        await client.query(
          `INSERT INTO interaction_metadata (interaction_id${ofUser}, metadata)
             SELECT id${ofUser}, json_build_object('tool', ${tool}, 'tokens', row % 7)
             FROM (SELECT id, user_id, row_number() OVER (ORDER BY id) AS row FROM interactions WHERE user_id = $1 AND id > $2::bigint) AS numbered`,
          [user, last.rows[0]?.id],
        );
        await client.query("COMMIT");
      } finally {
        client.release(true);
      }
    },
    fold: () => folded(connection, tables, program),
    check: () => expectBreakdowns(connection, tables, program),
    count: async (sql: string) => (await program.query<{ count: number }>(countInSums(sql))).rows[0]?.count,
  };
}

const TWO_TOOLS = "CASE WHEN row % 3 = 0 THEN 'search' ELSE 'fetch' END";

describeWithPostgres("declared keys", (postgres) => {
  test("are remembered, and answered from sums", async () => {
    const { schema, connection, tables, program, add, fold } = await declaring(postgres.url);
    await add(MANY, TWO_TOOLS);
    const opened = new PostgresTables(postgres.url, { schema });
    onTestFinished(() => opened.close());
    await fold();
    const metrics = metricsIn(postgres.url, { schema });
    const questions: BreakdownOptions[] = [
      { numbers: ["tokens"] },
      { user_id: "a" },
      { since: "2026-01-01" },
      { limit: 1 },
    ];
    for (const asked of questions) {
      const theirs = await readBreakdown(connection, tables, askedBreakdown("tool", asked));
      const ours = await metrics.getBreakdown("tool", asked);
      const without = (rows: typeof ours): unknown => rows.map((row) => ({ ...row, p50: 0, p95: 0, p99: 0 }));
      expect(without(ours)).toEqual(without(theirs));
      for (const [index, { p95 }] of ours.entries())
        expect(Math.abs((p95 ?? 0) - (theirs[index]?.p95 ?? 0))).toBeLessThan(20);
    }
    const { p50, p95 } = await metrics.getGlobalStats({ percentiles: true });
    expect([p50, p95].map((time) => Math.round((time ?? 0) / 50))).toEqual([10, 19]);
    expect(await metrics.getGlobalTrend({ percentiles: true })).toMatchObject(
      Array.from({ length: 3 }, () => ({ p50: expect.any(Number) })),
    );
    // The sums answer, not the rows.
    await program.query(
      inSums("UPDATE perdura_key_days SET successes = 0, buckets = jsonb_build_object('0', operations)"),
    );
    expect(await metrics.getGlobalStats({ percentiles: true })).toMatchObject({ p50: 0, p95: 0 });
    expect(await metrics.getUserTrend("a", { percentiles: true, bucket: "month" })).toMatchObject([{ p50 }]);
    expect((await metrics.getBreakdown("tool")).map((row) => row.success_rate)).toEqual([0, 0]);
    expect(await opened.compareSums()).toMatchObject({ wrongUsers: [], wrongTotals: true });
    expect(await metrics.recount()).toMatchObject({ wrongUsers: [], wrongTotals: true });
    await program.query(inSums("UPDATE perdura_user_key_days SET counts = '{1}'"));
    expect(await metrics.recount()).toMatchObject({ wrongUsers: ["a"], wrongTotals: true });
    expect(await metrics.recount()).toMatchObject({ wrongUsers: [], wrongTotals: false });
    await opened.read(async (contents) => {
      expect(await contents.metrics?.breakdownKeys()).toEqual({
        keys: DECLARED.keys.toSorted().map((key) => ({ key, isDeclared: true })),
        numbers: DECLARED.numbers,
      });
      expect((await contents.metrics?.breakdown(askedBreakdown("tool")))?.[0]?.success_rate).toBeCloseTo(0.75, 3);
      expect(await contents.metrics?.hasPercentileSums()).toBe(true);
    });
  });

  test("can be added later, and removed by their rows", async () => {
    const { schema, program, add, fold, check, count } = await declaring(postgres.url);
    await add(20, TWO_TOOLS);
    await fold();
    await metricsIn(postgres.url, { schema, breakdown: { keys: ["other"], numbers: ["cost"] } }).getAllUsers();
    await check();
    await fold();
    expect(await count("FROM perdura_summed_keys WHERE is_summed AND cardinality(numbers) = 2")).toBe(
      3 * TABLES_OF_SUMS,
    );
    await check();
    await program.query("DELETE FROM perdura_declared_keys WHERE key IN ('tool', 'cost')");
    await check();
    await fold();
    await check();
    expect(await count("FROM perdura_summed_keys WHERE cardinality(numbers) = 1")).toBe(2 * TABLES_OF_SUMS);
    expect(await count("FROM perdura_key_days WHERE name = 'text:fetch'")).toBe(0);
    const many = Array.from({ length: 19 }, (_, each) => `key ${each}`);
    await expect(metricsIn(postgres.url, { schema, breakdown: { keys: many } }).getAllUsers()).rejects.toThrow(
      /^breakdown: a database can have 20 declared keys .* would have 21 and 1\. None/,
    );
    const declared = await program.query("SELECT 1 FROM perdura_declared_keys");
    expect(declared.rows).toHaveLength(3);
  });

  test("with long values have sums, and their names once", async () => {
    const { metrics, program, add, fold, check, count } = await declaring(postgres.url);
    await metrics.recordMetric("a", true, 5, { tool: LONG, model: { text: LONG }, tokens: 2 });
    await add(20, `'${LONG}' || row % 3`);
    await fold();
    expect(await count("FROM perdura_summed_keys WHERE is_summed")).toBe(2 * TABLES_OF_SUMS);
    expect(await count("FROM perdura_long_names")).toBe(3 + 2);
    await check();
    await add(5, `'${LONG}' || row`, "b");
    await check();
    await fold();
    expect(await count("FROM perdura_long_names")).toBe(ON_CITUS ? 3 + 2 + 5 : 6 + 2);
    await program.query("DELETE FROM interactions WHERE user_id = 'a'");
    await fold();
    expect(await count("FROM perdura_long_names")).toBe(5);
    await check();
    expect(await metrics.recount()).toMatchObject({ wrongUsers: [], wrongTotals: false });
  });

  test("may have long keys, and their rows can be removed where a publication has the table", async () => {
    const schema = newSchema();
    const breakdown = { keys: [LONG, `${LONG}.`], numbers: [LONG] };
    for (const times of [1, 2]) {
      const metrics = metricsIn(postgres.url, { schema, breakdown });
      await metrics.recordMetric("a", true, 5, { [LONG]: 7 });
      expect(await metrics.getBreakdown(LONG)).toMatchObject([{ value: 7, total_operations: times }]);
    }
    const program = otherProgram(postgres.url, schema);
    const declared = "SELECT kind, length(key) AS length FROM perdura_declared_keys ORDER BY 1, 2";
    expect((await program.query({ text: declared, rowMode: "array" })).rows).toEqual([
      ["key", LONG.length],
      ["key", LONG.length + 1],
      ["number", LONG.length],
    ]);
    await program.query("CREATE PUBLICATION keys FOR TABLE perdura_declared_keys");
    expect((await program.query("DELETE FROM perdura_declared_keys WHERE kind = 'key'")).rowCount).toBe(2);
  });

  test.each([
    ["many values", 1100, "'tool ' || row", "a"],
    ["many long values", 1100, `'${LONG}' || row`, "a"],
    ["a long id of a user", 3, "'tool ' || row", LONG.slice(0, 2200)],
  ])("with %s are counted from the rows", async (_name, rows, tool, user) => {
    const { add, fold, check, count } = await declaring(postgres.url);
    await add(10, TWO_TOOLS);
    await fold();
    expect(await count("FROM perdura_key_days WHERE name = 'text:fetch'")).toBeGreaterThan(0);
    await add(rows, tool, user);
    await fold();
    expect(await count("FROM perdura_long_names")).toBe(0);
    expect(await count("FROM perdura_summed_keys WHERE key = 'tool' AND NOT is_summed")).toBe(1);
    // The shards of other users have sums.
    if (!ON_CITUS || user === "a") expect(await count("FROM perdura_key_days WHERE name LIKE 'text:%'")).toBe(0);
    if (!ON_CITUS || user === "a") expect(await count("FROM perdura_user_key_days WHERE name LIKE 'text:%'")).toBe(0);
    await check();
    await add(10, TWO_TOOLS);
    await fold();
    await check();
  });

  test("leave nothing of an erased user", async () => {
    const { metrics, add, fold, check, count } = await declaring(postgres.url);
    await add(20, TWO_TOOLS);
    await add(20, "'secret tool'", "secret user");
    await fold();
    expect(await count("FROM perdura_key_days WHERE name = 'text:secret tool'")).toBe(4);
    await metrics.forgetUser("secret user", { erase: true });
    expect(await count("FROM perdura_key_days WHERE name = 'text:secret tool'")).toBe(0);
    expect(await count("FROM perdura_user_key_days WHERE user_id = 'secret user'")).toBe(0);
    await check();
  });

  test("are right after the schema was renamed, and after a restore", async () => {
    const { schema, program, add, fold } = await declaring(postgres.url);
    await add(20, TWO_TOOLS);
    await fold();
    const renamed = newSchema();
    const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
    await program.query(`ALTER SCHEMA ${quoted(schema)} RENAME TO ${quoted(renamed)}`);
    const other = otherProgram(postgres.url, renamed);
    await other.query(`UPDATE interaction_metadata SET metadata = '{"tool": "mail"}' WHERE interaction_id < 5`);
    const countHere = async (from: string): Promise<number | undefined> =>
      (await other.query<{ count: number }>(countInSums(from))).rows[0]?.count;
    expect(await countHere("FROM perdura_stale_users WHERE user_id = 'a'")).toBe(1);
    await metricsIn(postgres.url, { schema: renamed }).getAllUsers();
    const moved = new Connection(postgres.url, checkedOptions({ ...LAYOUT, schema: renamed }));
    onTestFinished(() => moved.close());
    const known = await ensureTables(moved);
    await expectBreakdowns(moved, known, other);
    await folded(moved, known, other);
    expect(await countHere("FROM perdura_key_days WHERE name = 'text:mail'")).toBe(3 + 1);
    await expectBreakdowns(moved, known, other);
    // The tables of another cluster have other numbers; shards that come from another server have no sums there.
    if (ON_CITUS) return;
    await other.query(`UPDATE perdura_rollup SET table_id = 5; UPDATE perdura_key_days SET operations = 7`);
    await ensureTables(moved);
    expect((await other.query("SELECT 1 FROM perdura_key_days")).rows).toEqual([]);
    await folded(moved, known, other);
    await expectBreakdowns(moved, known, other);
  });

  test("of another role are those of the owner; it may declare no others", async () => {
    const { schema, metrics, program, add, fold, tables } = await declaring(postgres.url);
    await add(5, TWO_TOOLS);
    await metrics.getBreakdown("tool");
    const url = await asNewRole(postgres.url, schema, program, "SELECT");
    const known = metricsIn(url, { schema, breakdown: DECLARED });
    expect(await known.getBreakdown("tool")).toHaveLength(2);
    await fold();
    const connection = new Connection(url, checkedOptions({ ...LAYOUT, schema }));
    onTestFinished(() => connection.close());
    const reader = otherProgram(url, schema);
    await expectBreakdowns(connection, tables, reader);
    // The role sees no metadata any more.
    await program.query("ALTER TABLE interaction_metadata ENABLE ROW LEVEL SECURITY");
    await expectBreakdowns(connection, tables, reader);
    await expect(metricsIn(url, { schema, breakdown: { keys: ["new"] } }).getBreakdown("new")).rejects.toThrow(
      "may not declare keys of metadata",
    );
    const without = newSchema();
    const owner = otherProgram(postgres.url, without);
    await metricsIn(postgres.url, { schema: without }).getAllUsers();
    const role = await asNewRole(postgres.url, without, owner, "SELECT, INSERT");
    const refused = metricsIn(role, { schema: without, breakdown: DECLARED });
    await expect(refused.recordMetric("a", true, 5)).rejects.toMatchObject({
      code: "PERDURA_STORAGE",
      message: expect.stringContaining("may not declare keys of metadata"),
    });
    expect((await owner.query("SELECT to_regclass('perdura_declared_keys') AS found")).rows).toEqual([{ found: null }]);
  });
});
