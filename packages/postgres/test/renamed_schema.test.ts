import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { newDatabase } from "@perdura/test-servers/postgres/database.js";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import type { PostgresMetricsCollector } from "../src/index.ts";
import { PostgresTables } from "../src/tables.ts";
import { countedRows, withoutMean } from "./counted_rows.ts";
import { expectTrends, trendsOfCollector } from "./counted_trends.ts";
import { asNewRole, metricsIn, otherProgram } from "./elements.ts";
import { LAYOUTS, ON_CITUS } from "./layouts.ts";

/** Enough rows that a question folds them. */
const MANY = 2500;

const records = (user: string, rows: number) =>
  Array.from({ length: rows }, (_, row) => ({
    user_id: `${user}${row % 5}`,
    level: 1 + (row % 5),
    success: row % 2 === 0,
    response_time_ms: row,
  }));

/** A database, and a function that runs each statement alone: Citus sends workers the whole text of a message. */
async function database(
  serverUrl: string,
): Promise<{ url: string; admin: pg.Client; change: (statements: string) => Promise<void> }> {
  const created = await newDatabase(serverUrl);
  onTestFinished(() => created.drop());
  const admin = new pg.Client({ connectionString: created.url });
  await admin.connect();
  onTestFinished(() => admin.end());
  const change = async (statements: string): Promise<void> => {
    for (const statement of statements.split(";")) await admin.query(statement);
  };
  return { url: created.url, admin, change };
}

async function expectRight(metrics: PostgresMetricsCollector, url: string, schema: string): Promise<void> {
  const other = otherProgram(url, schema);
  for (let time = 0; time < 2; time += 1) {
    const counted = await countedRows(other);
    expect(await metrics.getGlobalStats()).toEqual(counted.global);
    expect(await metrics.getAllUsers()).toEqual(counted.users);
    for (const user of ["a0", "a1", "b0"])
      expect(withoutMean(await metrics.getUserStats(user))).toEqual(withoutMean(counted.user(user)));
    await expectTrends(trendsOfCollector(metrics), other, ["a0", "a1", "b0"]);
  }
}

const MARKED = ON_CITUS
  ? `SELECT DISTINCT (regexp_matches(result, '<user_id>(.*?)</user_id>', 'g'))[1] AS user_id
      FROM run_command_on_shards('SCHEMA.interactions',
        $$SELECT query_to_xml('SELECT user_id FROM ' || replace('%s', '.interactions_', '.perdura_stale_users_'), true, false, '')$$) ORDER BY 1`
  : "SELECT DISTINCT user_id FROM SCHEMA.perdura_stale_users ORDER BY 1";

const marks = async (admin: pg.Client, schema: string): Promise<string[]> =>
  (await admin.query<{ user_id: string }>(MARKED.replace("SCHEMA", schema))).rows.map(({ user_id }) => user_id);

describeWithPostgres("a renamed schema", (postgres) => {
  test.for(LAYOUTS)("is used under its new name, and no other one, in %s", async ([, layout]) => {
    const { url, admin } = await database(postgres.serverUrl);
    const first = metricsIn(url, { ...layout, schema: "perdura" });
    await first.recordMany(records("a", MANY));
    await expectRight(first, url, "perdura");
    await admin.query("ALTER SCHEMA perdura RENAME TO archive");
    // Changes are noticed before a program opens the schema, also next to a new schema of the former name.
    await admin.query("DELETE FROM archive.interactions WHERE user_id = 'a0' AND level = 1");
    expect(await marks(admin, "archive")).toEqual(["a0"]);
    const next = metricsIn(url, { ...layout, schema: "perdura" });
    await next.recordInteraction("b0", 2, true, 1);
    await admin.query("UPDATE archive.interactions SET success = false WHERE user_id = 'a1'");
    expect(await marks(admin, "archive")).toEqual(["a0", "a1"]);
    expect(await marks(admin, "perdura")).toEqual([]);
    await expect(admin.query("SELECT * FROM archive.perdura_global_sums()")).rejects.toMatchObject({ code: "3F000" });

    const archive = metricsIn(url, { ...layout, schema: "archive" });
    await expectRight(archive, url, "archive");
    await archive.recordMetric("a0", true, 1);
    await expectRight(archive, url, "archive");
    await admin.query("DELETE FROM archive.interactions WHERE user_id = 'a2'");
    await expectRight(archive, url, "archive");
    await expectRight(next, url, "perdura");
    expect(await marks(admin, "perdura")).toEqual([]);
    expect(await archive.recount()).toMatchObject({ wrongUsers: [], wrongTotals: false });
  });

  test("is not answered from another one while names are exchanged under open collectors", async () => {
    const { url, change } = await database(postgres.serverUrl);
    const [one, two] = ["one", "two"].map((schema) => metricsIn(url, { schema })) as [
      PostgresMetricsCollector,
      PostgresMetricsCollector,
    ];
    await one.recordMany(records("a", 10));
    await two.recordMany(records("b", 20));
    await change("ALTER SCHEMA one RENAME TO three; ALTER SCHEMA two RENAME TO one; ALTER SCHEMA three RENAME TO two");
    for (const [metrics, rows] of [
      [one, 20],
      [two, 10],
    ] as const) {
      const unexpected = {
        code: "PERDURA_CORRUPT_DATA",
        message: expect.stringMatching(/when its name was/) as string,
      };
      await expect(metrics.getGlobalStats()).rejects.toMatchObject(unexpected);
      // The next call looks at the tables again.
      expect(await metrics.getGlobalStats()).toMatchObject({ total_interactions: rows });
    }
    await one.recordMetric("b0", true, 1);
    await expectRight(one, url, "one");
    await expectRight(two, url, "two");
  });

  test("is refused for a role that may not replace its functions, and for reading", async () => {
    const { url, admin } = await database(postgres.serverUrl);
    await metricsIn(url, { schema: "before" }).recordMany(records("a", 10));
    await admin.query("ALTER SCHEMA before RENAME TO after");
    const pool = otherProgram(url, "after");
    const role = await asNewRole(url, "after", pool, "SELECT, INSERT, UPDATE, DELETE");
    const refused = {
      code: "PERDURA_CORRUPT_DATA",
      message: expect.stringMatching(/ALTER SCHEMA "after" RENAME TO "before"/) as string,
    };
    await expect(metricsIn(role, { schema: "after" }).getGlobalStats()).rejects.toMatchObject(refused);
    await expect(metricsIn(role, { schema: "after" }).recordMetric("a0", true, 1)).rejects.toMatchObject(refused);
    const tables = new PostgresTables(url, { schema: "after" });
    onTestFinished(() => tables.close());
    await expect(tables.look()).rejects.toMatchObject(refused);
    await expect(tables.compareSums()).rejects.toMatchObject(refused);
    await expectRight(metricsIn(url, { schema: "after" }), url, "after");
    expect(await tables.compareSums()).toMatchObject({ wrongUsers: [], wrongTotals: false });
  });

  test("does not depend on the search path", async () => {
    const { url, admin } = await database(postgres.serverUrl);
    await metricsIn(url, { schema: "first" }).recordMany(records("a", 10));
    await metricsIn(url, { schema: "second" }).recordMany(records("b", 20));
    await admin.query(`ALTER SCHEMA first RENAME TO old`);
    for (const path of ["second", "second, old", "old, pg_catalog", "pg_temp, second"]) {
      const client = new pg.Client({ connectionString: url, options: `-c search_path=${path.replaceAll(" ", "")}` });
      await client.connect();
      await client.query("DELETE FROM old.interactions WHERE id = (SELECT max(id) FROM old.interactions)");
      await client.end();
    }
    expect(await marks(admin, "second")).toEqual([]);
    await expectRight(metricsIn(url, { schema: "old" }), url, "old");
    await expectRight(metricsIn(url, { schema: "second" }), url, "second");
  });
});

describeWithPostgres("tables that an administrator changed", (postgres) => {
  const changes = [
    ["levels of a larger type", "ALTER TABLE interactions ALTER COLUMN level TYPE bigint"],
    ["levels of a smaller type", "ALTER TABLE interactions ALTER COLUMN level TYPE smallint"],
    ["decimal response times", "ALTER TABLE interactions ALTER COLUMN response_time_ms TYPE numeric"],
    ["short response times", "ALTER TABLE interactions ALTER COLUMN response_time_ms TYPE real"],
    // Citus does not allow it for the column that decides where a row is.
    ...(ON_CITUS
      ? []
      : [["texts of limited length", "ALTER TABLE interactions ALTER COLUMN user_id TYPE varchar(100)"]]),
    ["a further column", "ALTER TABLE interactions ADD COLUMN note text DEFAULT 'n'"],
    [
      "renamed indexes",
      "ALTER INDEX idx_interactions_user RENAME TO mine; ALTER INDEX perdura_interactions_recorded RENAME TO other",
    ],
  ];

  test.for(changes)("are used: %s", async ([, sql = ""]) => {
    const { url, admin, change } = await database(postgres.serverUrl);
    const metrics = metricsIn(url, { schema: "perdura" });
    await metrics.recordMany(records("a", MANY));
    await change(`SET search_path = perdura; ${sql}`);
    await expectRight(metrics, url, "perdura");
    await metrics.recordMetric("a0", true, 2, { tool: "t" });
    await metrics.recordMetric("a0", true, 2, { tool: "t" }, { idempotencyKey: "k" });
    await metrics.recordInteraction("a0", 3, true, 2);
    await metrics.recordMany(records("b", MANY));
    await admin.query("DELETE FROM interactions WHERE level = 2");
    await expectRight(metrics, url, "perdura");
    const tables = new PostgresTables(url, { schema: "perdura" });
    onTestFinished(() => tables.close());
    await tables.refresh();
    expect(await metrics.recount()).toMatchObject({ wrongUsers: [], wrongTotals: false });
    await tables.read(async ({ metrics: stored }) => {
      const { rows } = await admin.query<{ rows: number }>("SELECT count(*)::int AS rows FROM interactions");
      expect((await stored?.overview())?.operations).toBe(rows[0]?.rows);
      for await (const row of stored?.rows() ?? [])
        expect([typeof row.level, typeof row.response_time_ms]).toEqual(["number", "number"]);
    });
  });
});
