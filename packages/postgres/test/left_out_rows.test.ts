import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { PatternLibrary } from "@perdura/v16";
import type pg from "pg";
import { describe, expect, test } from "vitest";
import type { PostgresMetricsCollector } from "../src/index.ts";
import { metricsIn, newSchema, otherProgram, patternsIn } from "./elements.ts";
import { LAYOUTS, ON_CITUS } from "./layouts.ts";

/** Runs statements in one session, where Citus allows triggers on distributed tables. */
async function inTurn(other: pg.Pool, statements: readonly string[]): Promise<void> {
  const client = await other.connect();
  for (const statement of [...(ON_CITUS ? ["SET citus.enable_unsafe_triggers = on"] : []), ...statements])
    await client.query(statement);
  client.release(true);
}

/** A trigger of another program that leaves out every row of a statement. */
async function leaveOut(other: pg.Pool, table: string, statement: "INSERT" | "UPDATE" | "DELETE"): Promise<void> {
  await inTurn(other, [
    "CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
    `CREATE TRIGGER leave_out BEFORE ${statement} ON ${table} FOR EACH ROW EXECUTE FUNCTION nothing()`,
  ]);
}

/** The error for rows of a table that were not stored. */
const leftOutOf = (table: string): object => ({
  code: "PERDURA_STORAGE",
  message: expect.stringMatching(
    new RegExp(
      `: recording failed: a trigger on the table ${table} left out a row\\. Nothing was written\\. Drop the trigger, or let it accept such rows\\.$`,
    ),
  ) as string,
  mayBeWritten: false,
});

/** Ways to record; all but the last have no metadata. */
const RECORDINGS: readonly [name: string, record: (metrics: PostgresMetricsCollector) => Promise<unknown>][] = [
  ["an interaction", (metrics) => metrics.recordInteraction("a", 2, true, 1)],
  ["a metric at the current level", (metrics) => metrics.recordMetric("a", true, 1)],
  ["an interaction with a key", (metrics) => metrics.recordInteraction("a", 2, true, 1, { idempotencyKey: "k" })],
  ["several", (metrics) => metrics.recordMany([{ user_id: "a", level: 2, success: true, response_time_ms: 1 }])],
  [
    "several at the current level",
    (metrics) => metrics.recordMany([{ user_id: "a", success: true, response_time_ms: 1 }]),
  ],
  [
    "several with a key",
    (metrics) => metrics.recordMany([{ user_id: "a", success: true, response_time_ms: 1 }], { idempotencyKey: "k" }),
  ],
  ["an interaction of a writer", (metrics) => metrics.writer().recordInteraction("a", 2, true, 1)],
];

const DESCRIBED: typeof RECORDINGS = [
  ["a metric", (metrics) => metrics.recordMetric("a", true, 1, { tool: "search" })],
  ["a metric with a key", (metrics) => metrics.recordMetric("a", true, 1, { tool: "search" }, { idempotencyKey: "k" })],
  [
    "several",
    (metrics) =>
      metrics.recordMany([
        { user_id: "a", success: true, response_time_ms: 1 },
        { user_id: "a", success: true, response_time_ms: 1, metadata: { tool: "search" } },
      ]),
  ],
  ["a metric of a writer", (metrics) => metrics.writer().recordMetric("a", true, 1, { tool: "search" })],
];

describeWithPostgres("rows that a trigger of another program leaves out", (postgres) => {
  describe.for(LAYOUTS)("%s", ([, layout]) => {
    test.for([
      ...RECORDINGS.map((each) => ["interactions", ...each] as const),
      ...DESCRIBED.map((each) => ["interactions", ...each] as const),
      ...DESCRIBED.map((each) => ["interaction_metadata", ...each] as const),
    ])("refuses to leave out of %s: %s", async ([table, , record]) => {
      const schema = newSchema();
      const metrics = metricsIn(postgres.url, { schema, ...layout });
      const other = otherProgram(postgres.url, schema);
      expect(await metrics.getAllUsers()).toEqual([]);
      await leaveOut(other, table, "INSERT");
      await expect(record(metrics)).rejects.toMatchObject(leftOutOf(table));
      expect(await metrics.getAllUsers()).toEqual([]);
      const rows = await other.query("SELECT 1 FROM interactions UNION ALL SELECT 1 FROM perdura_idempotency_keys");
      expect(rows.rowCount).toBe(0);
      await inTurn(other, [`DROP TRIGGER leave_out ON ${table}`]);
      await record(metrics);
      expect(await metrics.getAllUsers()).toEqual(["a"]);
    });

    test.for([
      ["forgetUser", (metrics: PostgresMetricsCollector) => metrics.forgetUser("a")],
      ["deleteBefore", (metrics: PostgresMetricsCollector) => metrics.deleteBefore("9000-01-01")],
    ] as const)("%s reports rows that were not deleted", async ([, remove]) => {
      const schema = newSchema();
      const metrics = metricsIn(postgres.url, { schema, ...layout });
      const other = otherProgram(postgres.url, schema);
      await metrics.recordMetric("a", true, 1, { tool: "search" });
      await leaveOut(other, "interactions", "DELETE");
      await expect(remove(metrics)).rejects.toMatchObject({
        code: "PERDURA_STORAGE",
        message: expect.stringMatching(
          /a trigger on the table interactions left out a row\. .*Drop the trigger, or let it accept such rows\.$/,
        ) as string,
      });
      expect((await metrics.getUserStats("a")).total_operations).toBe(1);
      await inTurn(other, ["DROP TRIGGER leave_out ON interactions"]);
      expect(await remove(metrics)).toEqual({ interactions: 1, metadata: 1 });
    });
  });
});

/** The error for rows of a library that were not stored. */
const notSaved = (table: string): object => ({
  code: "PERDURA_STORAGE",
  message: expect.stringMatching(
    new RegExp(
      `: a trigger on the table ${table} left out a row\\. Nothing was written\\. Drop the trigger, or let it accept such rows\\.$`,
    ),
  ) as string,
});

describeWithPostgres("a library in a table whose trigger leaves out rows", (postgres) => {
  const withUse = (): PatternLibrary => {
    const library = new PatternLibrary();
    library.contribute("agent", { id: "p", pattern_type: "t", name: "n" });
    library.recordUsage("p", "agent", true);
    return library;
  };

  test.for([
    ["patterns", "INSERT"],
    ["patterns", "UPDATE"],
    ["pattern_usage", "INSERT"],
    ["patterns", "DELETE"],
  ] as const)("is not saved in part: %s, %s", async ([table, statement]) => {
    const mode = statement === "DELETE" ? "replace" : "merge";
    const schema = newSchema();
    const patterns = patternsIn(postgres.url, { schema });
    const other = otherProgram(postgres.url, schema);
    const former = new PatternLibrary();
    former.contribute("agent", { id: statement === "UPDATE" ? "p" : "q", pattern_type: "t", name: "former" });
    await patterns.save(former);
    await leaveOut(other, table, statement);
    const library = withUse();
    await expect(patterns.save(library, { mode })).rejects.toMatchObject(notSaved(table));
    expect((await other.query("SELECT name FROM patterns")).rows).toEqual([{ name: "former" }]);
    expect((await other.query("SELECT FROM pattern_usage")).rowCount).toBe(0);
    await inTurn(other, [`DROP TRIGGER leave_out ON ${table}`]);
    expect(await patterns.save(library, { mode })).toMatchObject({ patterns: 1, usageRows: 1 });
  });

  test("is saved if the trigger leaves out nothing, or changes values", async () => {
    const schema = newSchema();
    const patterns = patternsIn(postgres.url, { schema });
    const other = otherProgram(postgres.url, schema);
    await patterns.save(new PatternLibrary());
    await inTurn(other, [
      "CREATE FUNCTION upper() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.name := upper(NEW.name); RETURN NEW; END'",
      `CREATE TRIGGER upper BEFORE INSERT OR UPDATE ON patterns FOR EACH ROW EXECUTE FUNCTION upper()`,
    ]);
    for (let times = 0; times < 2; times += 1)
      expect(await patterns.save(withUse())).toMatchObject({ patterns: 1, usageRows: 1 });
    expect((await other.query("SELECT name FROM patterns")).rows).toEqual([{ name: "N" }]);
  });
});
