import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { DAY, MOMENT, periodSql } from "@perdura/internals/metrics/trends/time_sql.js";
import { askedUserTrend } from "@perdura/internals/metrics/trends/trend_arguments.js";
import { DEFAULT_FIGURES, NO_CHANGE, compose, stepOf, TRUST_UNITS } from "@perdura/internals/metrics/trends/trust.js";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { PATIENCE_MS } from "../../../test/patience.ts";
import { recount } from "../src/metrics/recount.ts";
import { expectTrends, TRENDS, trendsOf } from "./counted_trends.ts";
import { metricsIn, newSchema, otherProgram } from "./elements.ts";
import { inSums, LAYOUTS } from "./layouts.ts";
import { runs } from "./runs.ts";
import { type SharedTables, sharedTables } from "./shared_tables.ts";

/** Folds all rows, once no transaction of other tests is older. */
async function foldEverything({ questions, other }: SharedTables): Promise<void> {
  await vi.waitUntil(async () => {
    await questions.foldAll();
    const { rows } = await other.query<{ all: boolean }>("SELECT counted = 0 AS all FROM perdura_global_sums()");
    return rows[0]?.all;
  }, PATIENCE_MS);
}

const rowsOf = (user: string, ids: string, time: string): string =>
  `INSERT INTO interactions (id, user_id, level, success, response_time_ms, timestamp)
     SELECT n, '${user}', 1 + n % 5, n % 3 > 0, n, ${time} FROM generate_series(${ids}) AS n;`;

/** Ten interactions of two users on each of ten days. */
const TEN_DAYS = `${rowsOf("a", "1, 100", "to_char(timestamp '2024-01-28' + (n - 1) / 10 * interval '1 day', 'YYYY-MM-DD HH24:MI:SS')")}
  ${rowsOf("b", "101, 200", "to_char(timestamp '2024-01-28' + (n - 101) / 10 * interval '1 day', 'YYYY-MM-DD HH24:MI:SS')")}`;

/** Texts that are similar to timestamps. */
const TIMESTAMP = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom("2024-01-01", "2024-02-29", "1999-12-31", "0001-01-01", "9999-12-31") },
      fc
        .tuple(fc.integer({ min: 0, max: 9999 }), fc.integer({ min: 0, max: 13 }), fc.integer({ min: 0, max: 32 }))
        .map(([year, month, day]) =>
          [`${year}`.padStart(4, "0"), ...[month, day].map((n) => `${n}`.padStart(2, "0"))].join("-"),
        ),
      fc.constantFrom("2024-1-01", "24-01-01", "-2024-01-01", "yesterday", "", "now", "20x4-01-01", "2024-01-1 "),
    ),
    fc.constantFrom(" ", " ", "T", "", "  ", "T T", "\t", "\n", "t", "\u00a0"),
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom("00:00:00", "23:59:59", "12:30:00") },
      fc.constantFrom(
        "",
        "10",
        "10:00",
        "24:00",
        "24:00:00",
        "24:00:01",
        "25:00:00",
        "10:60:00",
        "10:00:60",
        "1:00:00",
        "10:0x:00",
        "10:00:",
      ),
    ),
    fc.constantFrom("", "", "", ".5", ".123456", ".9999", ".0005", ".", ".5x", ".1234567890123456789012345"),
    fc.constantFrom(
      "",
      "",
      "",
      "Z",
      "z",
      " Z ",
      "+02:00",
      "-14:59",
      "+15:00",
      " +00:00",
      "+2:00",
      "+0200",
      "Z+01:00",
      " ",
      "x",
      "\n",
    ),
  )
  .map((parts) => parts.join(""));

/** Sequences of equal outcomes, so that trust often reaches its limits. */
const RUNS = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 25 })), { maxLength: 12 });

describeWithPostgres("trends", (postgres) => {
  const emptyTables = sharedTables(postgres);

  test("have the periods and the figures of the rulings", async () => {
    const metrics = metricsIn(postgres.url, { clock: () => new Date("2024-02-01T10:20:30Z") });
    expect(await metrics.getUserTrend("alice")).toEqual([]);
    expect(await metrics.getGlobalTrend()).toEqual([]);
    await metrics.recordInteraction("alice", 3, true, 100);
    await metrics.recordInteraction("alice", 3, false, 50.5);
    await metrics.recordInteraction("bob", 5, false, 1);
    const counts = { level_1_count: 0, level_2_count: 0, level_4_count: 0 };
    const alice = {
      total_operations: 2,
      success_rate: 0.5,
      avg_response_time_ms: 75.25,
      level_3_count: 2,
      level_5_count: 0,
    };
    for (const [bucket, period] of [
      [undefined, "2024-02-01"],
      ["hour", "2024-02-01T10:00:00"],
      ["day", "2024-02-01"],
      ["week", "2024-01-29"],
      ["month", "2024-02-01"],
    ] as const) {
      expect(await metrics.getUserTrend("alice", { bucket })).toEqual([{ period, ...counts, ...alice, trust: 0.45 }]);
      expect(await metrics.getGlobalTrend({ bucket })).toMatchObject([
        { period, total_operations: 3, success_rate: 1 / 3 },
      ]);
    }
    const [period] = await metrics.getUserTrend("alice", { trust: { initial: 1, gain: 0.3, loss: 0.25 } });
    expect(Object.keys(period ?? {}).at(-1)).toBe("trust");
    expect(period?.trust).toBe(0.75);
    expect(await metrics.getUserTrend("alice", { since: "2024-02-01T10:20:31" })).toEqual([]);
    expect(await metrics.getGlobalTrend({ until: new Date("2024-02-01T10:20:30Z") })).toEqual([]);
  });

  test("of users whose ids perdura does not write are read, and those that no server has are unknown", async () => {
    const schema = newSchema();
    const metrics = metricsIn(postgres.url, { schema });
    await metrics.recordInteraction("alice", 3, true, 10);
    await otherProgram(postgres.url, schema).query(
      "INSERT INTO interactions (user_id, level, success, response_time_ms) VALUES ('', 3, true, 10)",
    );
    expect(await metrics.getAllUsers()).toEqual(["", "alice"]);
    for (const id of await metrics.getAllUsers()) {
      expect(await metrics.getUserStats(id)).toMatchObject({ total_operations: 1, current_level: 3 });
      expect(await metrics.getUserTrend(id)).toMatchObject([{ total_operations: 1 }]);
    }
    for (const id of ["\0", "\ud800", "bob"]) {
      expect(await metrics.getUserStats(id)).toMatchObject({ total_operations: 0 });
      expect(await metrics.getUserTrend(id)).toEqual([]);
    }
  });

  test("check their arguments before anything is sent", async () => {
    const metrics = metricsIn("postgres://nobody@127.0.0.1:1/nowhere");
    await expect(metrics.getUserTrend(5 as never)).rejects.toMatchObject({ argument: "userId" });
    await expect(metrics.getUserTrend("a", { bucket: "year" as "day" })).rejects.toMatchObject({ argument: "bucket" });
    await expect(metrics.getGlobalTrend({ since: "yesterday" })).rejects.toMatchObject({ argument: "since" });
    await expect(metrics.getGlobalTrend({ trust: {} } as object)).rejects.toMatchObject({ code: "PERDURA_VALIDATION" });
  });

  test("read the same times as SQLite", async () => {
    const { connection, names } = await emptyTables();
    const database = openDatabase(":memory:", { intent: "record" });
    onTestFinished(() => void database.close());
    const columns = [DAY, MOMENT, ...(["hour", "day", "week", "month"] as const).map(periodSql)];
    const expected = database.prepare(`SELECT ${columns.join(", ")} FROM (SELECT ? AS timestamp)`).raw();
    const periods = ["hour", "day", "week", "month"].map((bucket) => `${names.period}('${bucket}', moment)`);
    await fc.assert(
      fc.asyncProperty(fc.array(TIMESTAMP, { minLength: 50, maxLength: 100 }), async (given) => {
        const rows = await connection.query<{ columns: (string | null)[] }>(
          `SELECT to_json(ARRAY[${names.day}(given), moment, ${periods.join(", ")}])::text AS columns FROM (
             SELECT given, ${names.moment}(given) AS moment FROM unnest($1::text[]) AS given) AS given`,
          [given],
        );
        expect(rows.map(({ columns: text }) => JSON.parse(String(text)) as unknown)).toEqual(
          given.map((text) => expected.get(text)),
        );
      }),
      { numRuns: runs(20) },
    );
  });

  test("compute the effect of outcomes on trust", async () => {
    const { connection, names } = await emptyTables();
    await fc.assert(
      fc.asyncProperty(RUNS, async (sequences) => {
        const outcomes = sequences.flatMap(([success, length]) => Array.from({ length }, () => success));
        const change = outcomes.reduce((sum, success) => compose(sum, stepOf(success, DEFAULT_FIGURES)), NO_CHANGE);
        const successes = outcomes.filter(Boolean).length;
        const limits = [change.low, change.high].map((units) => Math.round((100 * units) / TRUST_UNITS));
        const expected = [5 * successes - 10 * (outcomes.length - successes), ...limits];
        const text = outcomes.map(Number).join("");
        const [row] = await connection.query<{ trust: string }>(`SELECT ${names.trust}($1)::text AS trust`, [text]);
        expect(row?.trust).toBe(`{${expected.join(",")}}`);
      }),
      { numRuns: runs(100) },
    );
  });

  test.for(LAYOUTS)("are equal to those of all rows however ids and times are ordered (%s)", async ([, layout]) => {
    const tables = await emptyTables(layout);
    const check = async (): Promise<void> =>
      expectTrends(trendsOf(tables.questions), tables.other, ["a", "b", "c", "d"], TRENDS);
    await tables.other.query(TEN_DAYS);
    await check();
    await foldEverything(tables);
    await check();
    for (const rows of [
      // Between the ids of a folded day; on a folded day, with lower ids; on two days, with interleaved ids.
      rowsOf("a", "1001, 1005", "'2024-01-28T20:00:00'"),
      rowsOf("a", "-5, -1", "'2024-01-30 20:00:00+01:00'"),
      rowsOf("b", "2001, 2020", "'2024-02-0' || 1 + n % 2"),
      rowsOf("b", "2021, 2040", "'2024-02-0' || 1 + n % 2 || ' 10:00'"),
      // On one day: failures, then successes with lower ids.
      rowsOf("d", "331, 360", "'2024-01-29'").replace("n % 3 > 0", "false"),
      rowsOf("d", "301, 330", "'2024-01-29'").replace("n % 3 > 0", "true"),
      rowsOf("d", "361, 362", "'2024-01-29'").replace("n % 3 > 0", "false"),
      rowsOf("c", "201, 210", "CASE n % 2 WHEN 0 THEN '2024-01-29 10:00:00' ELSE 'yesterday' END"),
    ]) {
      await tables.other.query(rows);
      await check();
      await foldEverything(tables);
      await check();
      expect(await recount(tables.connection, tables.names)).toMatchObject({ wrongUsers: [], wrongTotals: false });
    }
  });

  test("are the same however the interactions of a day are divided into folds", async () => {
    const tables = await emptyTables();
    await fc.assert(
      fc.asyncProperty(RUNS, async (sequences) => {
        await tables.other.query("DELETE FROM interactions");
        for (const [success, length] of sequences) {
          await tables.other.query(`INSERT INTO interactions (user_id, level, success, timestamp)
            SELECT 'a', 1, ${success}, '2024-01-28' FROM generate_series(1, ${length})`);
          await tables.questions.foldAll();
        }
        await foldEverything(tables);
        expect(await recount(tables.connection, tables.names)).toMatchObject({ wrongUsers: [], wrongTotals: false });
        await expectTrends(trendsOf(tables.questions), tables.other, ["a"], [{}]);
      }),
      { numRuns: runs(10) },
    );
  });

  test("come from the sums of days, and read no folded rows", async () => {
    const tables = await emptyTables();
    await tables.other.query(TEN_DAYS);
    await foldEverything(tables);
    await tables.other.query(inSums("UPDATE perdura_user_days SET operations = 7, trust_low = 33, trust_high = 33"));
    await tables.other.query(inSums("UPDATE perdura_days SET operations = 8"));
    const trends = trendsOf(tables.questions);
    for (const bucket of ["day", "week", "month"] as const) {
      const user = (await tables.questions.userTrend("a", askedUserTrend({ bucket }))).map(
        ({ total_operations, trust }) => [total_operations % 7, trust],
      );
      expect(new Set(user.map(String))).toEqual(new Set(["0,0.33"]));
      expect((await trends.global({ bucket })).map(({ total_operations }) => total_operations % 8)).toContain(0);
    }
    // The rows of this day only.
    const since = "2024-02-01T00:00:00.5";
    expect((await trends.global({ since })).map(({ total_operations }) => total_operations % 8)).toEqual([
      0, 0, 0, 0, 0,
    ]);
  });

  test.for([
    ...["operations", "successes", "measured", "ms", "level_1_count", "level_5_count", "first_id", "last_id"].flatMap(
      (column) => [
        ["perdura_user_days", column],
        ["perdura_days", column],
      ],
    ),
    ...["trust_add", "trust_low", "trust_high"].map((column) => ["perdura_user_days", column]),
  ] as [string, string][])("a recount finds and repairs wrong values in %s.%s", async ([table, column]) => {
    const tables = await emptyTables();
    const { connection, names, other } = tables;
    await other.query(TEN_DAYS);
    await foldEverything(tables);
    const of = table === "perdura_days" ? "" : "user_id = 'b' AND";
    // A too low bound of ids is permitted for all users.
    await other.query(
      inSums(
        `UPDATE ${table} SET ${column} = ${column} ${column === "last_id" ? "-" : "+"} 1 WHERE ${of} day = '2024-01-30'`,
      ),
    );
    const { wrongUsers, wrongTotals } = await recount(connection, names);
    expect(wrongUsers).toEqual(table === "perdura_days" ? [] : ["b"]);
    if (table === "perdura_days") expect(wrongTotals).toBe(true);
    expect(await recount(connection, names)).toEqual({ users: 2, wrongUsers: [], wrongTotals: false });
    await expectTrends(trendsOf(tables.questions), other, ["a", "b"]);
  });

  test.for([
    "DELETE FROM perdura_user_days WHERE user_id = 'a' AND day = '2024-02-01'",
    "DELETE FROM perdura_days",
    "INSERT INTO perdura_user_days SELECT 'c', day, operations, successes, measured, ms, level_1_count, level_2_count, level_3_count, level_4_count, level_5_count, first_id, last_id, trust_add, trust_low, trust_high FROM perdura_user_days LIMIT 1",
  ])("a recount notices: %s", async (sql) => {
    const tables = await emptyTables();
    const { connection, names, other } = tables;
    await other.query(TEN_DAYS);
    await foldEverything(tables);
    await other.query(inSums(sql));
    expect(await recount(connection, names)).toMatchObject({ wrongTotals: true });
    expect(await recount(connection, names)).toMatchObject({ wrongUsers: [], wrongTotals: false });
    await expectTrends(trendsOf(tables.questions), other, ["a", "b", "c"]);
  });
});
