import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import fc from "fast-check";
import pg from "pg";
import { expect, test } from "vitest";
import { Connection } from "../src/connection/connection.ts";
import { checkedOptions } from "../src/connection/options.ts";
import { declareKeys } from "../src/layout/declare_keys.ts";
import { ensureTables } from "../src/layout/set_up.ts";
import { StatisticsReader } from "../src/metrics/statistics_reader.ts";
import { OverviewReader } from "../src/metrics/overview_reader.ts";
import { recount } from "../src/metrics/recount.ts";
import { DECLARED, expectBreakdowns, METADATA } from "./counted_breakdowns.ts";
import { countedRows, withoutMean } from "./counted_rows.ts";
import { expectOverview } from "./counted_overview.ts";
import { expectTrends, trendsOf } from "./counted_trends.ts";
import { newSchema, otherProgram } from "./elements.ts";
import { LAYOUTS } from "./layouts.ts";
import { runs } from "./runs.ts";

const USER = fc.constantFrom("'a'", "'b'", "'ä'", "''", "'o''x'");
const ID = fc.integer({ min: 1, max: 30 });

/** Existing rows: one of the first or of the last ones. */
const WHERE = fc
  .tuple(fc.constantFrom("", " DESC"), fc.nat(6))
  .map(([order, offset]) => `id = (SELECT id FROM interactions ORDER BY id${order} OFFSET ${offset} LIMIT 1)`);
const VALUES = fc
  .tuple(
    USER,
    fc.constantFrom("1", "2", "3", "5", "0", "9"),
    fc.boolean(),
    fc.constantFrom("NULL", "0", "12.5", "-3", "1e308", "'NaN'", "'Infinity'", "5e-324"),
    fc.constantFrom(
      "'2024-01-01 00:00:00'",
      "'2024-01-01 23:59:59.75'",
      "'2024-02-29T12:30:00'",
      "'2024-01-01T00:30:00+02:00'",
      "NULL",
      "'2025-06-01T10:00:00.5'",
      "'yesterday'",
    ),
  )
  .map((values) => values.join(", "));
const COLUMNS = "user_id, level, success, response_time_ms, timestamp";

const CHANGE = fc.oneof(
  { weight: 4, arbitrary: VALUES.map((values) => `INSERT INTO interactions (${COLUMNS}) VALUES (${values})`) },
  fc
    .tuple(ID, VALUES)
    .map(
      ([id, values]) => `INSERT INTO interactions (id, ${COLUMNS}) VALUES (${id}, ${values}) ON CONFLICT DO NOTHING`,
    ),
  fc.tuple(WHERE, USER).map(([where, user]) => `UPDATE interactions SET user_id = ${user} WHERE ${where}`),
  fc.tuple(WHERE, ID).map(([where, to]) => `UPDATE interactions SET id = ${to} WHERE ${where}`),
  USER.map((user) => `UPDATE interactions SET level = 4, success = NOT success WHERE user_id = ${user}`),
  WHERE.map((where) => `DELETE FROM interactions WHERE ${where}`),
  USER.map((user) => `DELETE FROM interactions WHERE user_id = ${user}`),
  // By the name of a partition, if there are any.
  fc.constantFrom(
    "UPDATE interactions_0 SET level = 2",
    "DELETE FROM interactions_1",
    `INSERT INTO interactions_2 (${COLUMNS}) SELECT ${COLUMNS} FROM interactions_2 LIMIT 2`,
  ),
  {
    weight: 3,
    arbitrary: fc.constantFrom("BEGIN", "BEGIN", "COMMIT", "COMMIT", "ROLLBACK", "SAVEPOINT s", "ROLLBACK TO s"),
  },
  // With the transaction ids of another server, like replicated rows, by a program that runs few triggers.
  fc.constantFrom(
    "SET session_replication_role = replica",
    "RESET session_replication_role",
    `INSERT INTO interactions (${COLUMNS}, recorded_by) SELECT ${COLUMNS}, recorded_by * 7 FROM interactions LIMIT 3`,
    "UPDATE interactions SET recorded_by = recorded_by / 2 WHERE level = 5",
  ),
);

/** Changes of metadata, in which `OF_USER` stands for the column of the user, if there is one. */
const METADATA_CHANGE = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(VALUES, fc.constantFrom(...METADATA)).map(
      ([values, metadata]) =>
        `WITH added AS (INSERT INTO interactions (${COLUMNS}) VALUES (${values}) RETURNING id, user_id)
           INSERT INTO interaction_metadata (interaction_id OF_USER, metadata) SELECT id OF_USER, '${metadata}' FROM added`,
    ),
  },
  fc
    .tuple(WHERE, fc.constantFrom(...METADATA))
    .map(
      ([where, metadata]) =>
        `INSERT INTO interaction_metadata (interaction_id OF_USER, metadata) SELECT id OF_USER, '${metadata}' FROM interactions WHERE ${where} ON CONFLICT DO NOTHING`,
    ),
  fc
    .tuple(WHERE, fc.constantFrom(...METADATA))
    .map(
      ([where, metadata]) =>
        `UPDATE interaction_metadata SET metadata = '${metadata}' WHERE interaction_id IN (SELECT id FROM interactions WHERE ${where})`,
    ),
  WHERE.map(
    (where) => `DELETE FROM interaction_metadata WHERE interaction_id IN (SELECT id FROM interactions WHERE ${where})`,
  ),
  fc.constantFrom(
    "DELETE FROM interaction_metadata WHERE interaction_id % 3 = 0",
    "UPDATE interaction_metadata SET interaction_id = interaction_id + 1 WHERE interaction_id % 5 = 0",
    "DELETE FROM perdura_declared_keys WHERE key IN ('model', 'tokens')",
    "INSERT INTO perdura_declared_keys VALUES ('key', 'model'), ('number', 'tokens') ON CONFLICT DO NOTHING",
  ),
);

/** Outside of transactions: within one it would block every reader or writer. */
const ALONE = fc.oneof(
  fc.constantFrom(
    "TRUNCATE interactions CASCADE",
    "TRUNCATE interactions_1 CASCADE",
    "ALTER TABLE interactions DISABLE TRIGGER ALL",
    "ALTER TABLE interactions ENABLE TRIGGER ALL",
    "TRUNCATE interaction_metadata",
    "ALTER TABLE interaction_metadata DISABLE TRIGGER ALL; DELETE FROM interaction_metadata WHERE interaction_id % 2 = 0; ALTER TABLE interaction_metadata ENABLE TRIGGER ALL",
  ),
  // Like pg_restore with data only.
  CHANGE.map(
    (sql) => `ALTER TABLE interactions DISABLE TRIGGER ALL; ${sql}; ALTER TABLE interactions ENABLE TRIGGER ALL`,
  ),
);

/** A step of one of three other programs, or our own query or fold. */
const STEPS = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ program: fc.constantFrom(0, 1, 2), sql: CHANGE }) },
    { weight: 3, arbitrary: fc.record({ program: fc.constantFrom(0, 1, 2), sql: METADATA_CHANGE }) },
    { weight: 1, arbitrary: fc.record({ alone: ALONE }) },
    { weight: 2, arbitrary: fc.constant("fold" as const) },
    { weight: 1, arbitrary: fc.constant("ask" as const) },
  ),
  { minLength: 5, maxLength: 40, size: "max" },
);

/** Runs SQL alone, unless others have the table in use. */
async function doAlone(pool: pg.Pool, sql: string): Promise<void> {
  const client = await pool.connect();
  await client.query(`BEGIN; SET LOCAL lock_timeout = 30; ${sql}; COMMIT`).catch(() => client.query("ROLLBACK"));
  client.release();
}

/**
 * Runs a change of another program. A change that PostgreSQL refuses, or another program blocks, has no effect; an open
 * transaction continues.
 */
async function change(program: pg.Client, sql: string): Promise<void> {
  const outsideOfTransactions = (): undefined => undefined;
  await program.query("SAVEPOINT before").catch(outsideOfTransactions);
  await program.query(sql).catch(() => program.query("ROLLBACK TO before").catch(outsideOfTransactions));
}

describeWithPostgres("statistics", (postgres) => {
  test.for(LAYOUTS)(
    "equal those of all rows after any changes and long transactions of other programs, in %s",
    async ([, options]) => {
      const schema = newSchema();
      const connection = new Connection(postgres.url, checkedOptions({ ...options, schema }));
      const tables = await ensureTables(connection);
      await declareKeys(connection, tables, DECLARED);
      const { names } = tables;
      const questions = new StatisticsReader(connection, names);
      const reader = otherProgram(postgres.url, schema);
      const quoted = `"${schema.replaceAll('"', '""')}"`;
      const programs = await Promise.all(
        [0, 1, 2].map(async () => {
          const client = new pg.Client({ connectionString: postgres.url });
          await client.connect();
          await client.query(`SET search_path = ${quoted}; SET lock_timeout = 30`);
          return client;
        }),
      );
      const check = async (): Promise<void> => {
        const counted = await countedRows(reader);
        expect(await questions.users()).toEqual(counted.users);
        expect(await questions.global()).toEqual(counted.global);
        const users = ["a", "b", "ä", "", "o'x", "nobody"];
        await expectTrends(trendsOf(questions), reader, users);
        await connection.transaction("read", (session) =>
          expectOverview(new OverviewReader(session, tables, new StatisticsReader(connection, names)), reader),
        );
        await expectBreakdowns(connection, tables, reader);
        for (const user of users) {
          const [ours, theirs] = [await questions.user(user), counted.user(user)];
          expect(withoutMean(ours)).toEqual(withoutMean(theirs));
          const [mean, wanted] = [ours.avg_response_time_ms, theirs.avg_response_time_ms];
          expect(Math.abs(mean - wanted)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(wanted)));
        }
      };
      try {
        await fc.assert(
          fc.asyncProperty(STEPS, async (steps) => {
            for (const step of steps) {
              if (step === "fold") await questions.foldAll(2);
              else if (step === "ask") await check();
              else if ("alone" in step) await doAlone(reader, step.alone);
              else
                await change(
                  programs[step.program] as pg.Client,
                  step.sql.replaceAll("OF_USER", tables.isSpread ? ", user_id" : ""),
                );
            }
            await check();
            for (const program of programs) await program.query("ROLLBACK");
            await questions.foldAll();
            await check();
            expect(await recount(connection, names)).toMatchObject({ wrongUsers: [], wrongTotals: false });
          }),
          { numRuns: runs(16) },
        );
      } finally {
        for (const program of programs) await program.end();
        await connection.close();
      }
    },
  );
});
