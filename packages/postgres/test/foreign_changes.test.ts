import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { expect, test, vi } from "vitest";
import { compareSums, recount } from "../src/metrics/recount.ts";
import { countedRows, withoutMean } from "./counted_rows.ts";
import { expectTrends, trendsOf } from "./counted_trends.ts";
import { inSums, LAYOUT, ON_CITUS } from "./layouts.ts";
import { sharedTables } from "./shared_tables.ts";
import { PATIENCE_MS } from "../../../test/patience.ts";
import { skipWithout } from "../../../test/needs.ts";

const ROWS = `INSERT INTO interactions (user_id, level, success, response_time_ms, timestamp)
  SELECT chr(97 + n % 2), 1 + n % 5, n % 3 = 0, n, '2024-01-0' || 1 + n / 5 || ' 10:00:00' FROM generate_series(1, 20) AS n`;

/** Ways in which programs change rows: like any program, like replication, like pg_restore with data only. */
const PLAINLY = ["SELECT 1", "SELECT 1"] as const;
const REPLICATED = ["SET session_replication_role = replica", "RESET session_replication_role"] as const;
const UNSEEN = ["ALTER TABLE interactions DISABLE TRIGGER ALL", "ALTER TABLE interactions ENABLE TRIGGER ALL"] as const;

/** Number of rows outside the rollup: 0 once no older transaction is open. */
const NOT_ADDED_UP = "SELECT counted AS rows FROM perdura_global_sums()";

describeWithPostgres("changes of folded rows by other programs", (postgres) => {
  const tablesOf = sharedTables(postgres);

  test.for([
    ["a row moves to an existing user", "UPDATE interactions SET user_id = 'b' WHERE id = 2"],
    ["a row moves to a new user", "UPDATE interactions SET user_id = 'c' WHERE id = 2"],
    [
      "a row changes",
      "UPDATE interactions SET level = 5, success = NOT success, response_time_ms = 1e300 WHERE id = 20",
    ],
    ["the newest row becomes the oldest", "UPDATE interactions SET id = -5 WHERE id = 20"],
    ["rows are deleted", "DELETE FROM interactions WHERE id > 17"],
    ["a user is deleted", "DELETE FROM interactions WHERE user_id = 'b'"],
    ["all rows are deleted", "DELETE FROM interactions"],
    ["the table is emptied", "TRUNCATE interactions CASCADE"],
    ["the table is emptied and filled again", "BEGIN; TRUNCATE interactions CASCADE; " + ROWS + "; COMMIT"],
    [
      "a row with a lower id is inserted",
      "INSERT INTO interactions (id, user_id, level, success) VALUES (-1, 'b', 3, true)",
    ],
    [
      "rows with the number of another transaction are inserted",
      "INSERT INTO interactions (user_id, level, success, recorded_by) SELECT 'c', 1, true, recorded_by FROM interactions LIMIT 3",
    ],
    [
      "rows with future transaction numbers are inserted",
      "INSERT INTO interactions (user_id, level, success, recorded_by) SELECT 'c', 1, true, 1e15 FROM generate_series(1, 3)",
    ],
    [
      "the transaction numbers of rows change",
      "UPDATE interactions SET recorded_by = 10 + 1e15 * (id % 2) WHERE id > 15",
    ],
    ["rows are inserted and deleted", `${ROWS}; DELETE FROM interactions WHERE id > 30`],
    ["a partition is emptied", "TRUNCATE interactions_1 CASCADE"],
  ] as const)("%s", async ([, sql], context) => {
    if (ON_CITUS && /SET user_id|interactions_1/.test(sql)) skipWithout("plain-tables", context);
    const [one, parts] = ON_CITUS ? [LAYOUT, LAYOUT] : [{}, { partitions: 3 }];
    for (const [layout, ways] of [
      [sql.includes("interactions_1") ? parts : one, [PLAINLY, REPLICATED]],
      // Citus refuses changes of triggers.
      [parts, ON_CITUS ? [REPLICATED] : [REPLICATED, UNSEEN]],
    ] as const)
      for (const [before, after] of ways) {
        const { connection, names, questions, other } = await tablesOf(layout);
        await other.query(ROWS);
        await questions.foldAll();
        await other.query(`${before}; ${sql}; ${after}`);
        const counted = await countedRows(other);
        for (let time = 0; time < 2; time += 1) {
          expect(await questions.global()).toEqual(counted.global);
          expect(await questions.users()).toEqual(counted.users);
          for (const user of ["a", "b", "c"])
            expect(withoutMean(await questions.user(user))).toEqual(withoutMean(counted.user(user)));
          await expectTrends(trendsOf(questions), other, ["a", "b", "c"]);
          await questions.foldAll();
        }
        // Once no transaction of other tests is older.
        await vi.waitUntil(async () => {
          await questions.foldAll();
          return (await other.query<{ rows: string }>(NOT_ADDED_UP)).rows[0]?.rows === "0";
        }, PATIENCE_MS);
        const users = counted.users.length;
        expect(await recount(connection, names)).toEqual({ users, wrongUsers: [], wrongTotals: false });
      }
  });

  test.for(ON_CITUS ? [] : [{}, { partitions: 3 }])(
    "a deleted row leaves no metadata, also where foreign keys do not apply, with %o",
    async (layout) => {
      const { isSpread, other } = await tablesOf(layout);
      await other.query(ROWS);
      const columns = isSpread ? "id, user_id" : "id";
      await other.query(`INSERT INTO interaction_metadata (${columns.replace("id", "interaction_id")}, metadata)
        SELECT ${columns}, '{}' FROM interactions`);
      const left = async (): Promise<number[]> => {
        const sql = "SELECT interaction_id::int AS id FROM interaction_metadata ORDER BY 1";
        return (await other.query<{ id: number }>(sql)).rows.map(({ id }) => id);
      };
      await other.query("DELETE FROM interactions WHERE id <= 5");
      const [before, after] = REPLICATED;
      await other.query(`${before}; DELETE FROM interactions WHERE id <= 17; ${after}`);
      expect(await left()).toEqual([18, 19, 20]);
      // Moves rows between partitions, if there are any.
      await other.query(`${before}; UPDATE interactions SET level = 3, user_id = user_id || id; ${after}`);
      expect(await left()).toEqual([18, 19, 20]);
    },
  );

  test("a recount finds and repairs wrong sums", async () => {
    const tables = await tablesOf(ON_CITUS ? LAYOUT : { partitions: 3 });
    const { connection, names, questions, other } = tables;
    await other.query(ROWS);
    await vi.waitUntil(async () => {
      await questions.foldAll();
      return (await other.query<{ rows: string }>(NOT_ADDED_UP)).rows[0]?.rows === "0";
    }, PATIENCE_MS);
    await other.query(inSums("UPDATE perdura_user_rollup SET operations = 0 WHERE user_id = 'b'"));
    await other.query(inSums("UPDATE perdura_rollup SET users = 7"));
    const wrong = { users: 2, wrongUsers: ["b"], wrongTotals: true };
    expect(await compareSums(connection, tables)).toEqual(wrong);
    expect(await recount(connection, names)).toEqual(wrong);
    expect(await recount(connection, names)).toEqual({ users: 2, wrongUsers: [], wrongTotals: false });
    const counted = await countedRows(other);
    expect(await questions.global()).toEqual(counted.global);
    expect(withoutMean(await questions.user("b"))).toEqual(withoutMean(counted.user("b")));
  });
});
