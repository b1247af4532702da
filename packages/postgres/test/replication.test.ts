import { newDatabase } from "@perdura/test-servers/postgres/database.js";
import { type PostgresServer, startPostgres } from "@perdura/test-servers/postgres/server.js";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { Connection } from "../src/connection/connection.ts";
import { checkedOptions } from "../src/connection/options.ts";
import { ensureTables } from "../src/layout/set_up.ts";
import { StatisticsReader } from "../src/metrics/statistics_reader.ts";
import { recount } from "../src/metrics/recount.ts";
import { PATIENCE_MS } from "../../../test/patience.ts";
import { countedRows, withoutMean } from "./counted_rows.ts";
import { expectTrends, trendsOf } from "./counted_trends.ts";
import { otherProgram } from "./elements.ts";
import { runs } from "./runs.ts";

const SCHEMA = "perdura";
const USERS = ["a", "b", "c"];
const WHERE = fc.nat(6).map((offset) => `id = (SELECT id FROM interactions ORDER BY id DESC OFFSET ${offset} LIMIT 1)`);
const USER = fc.constantFrom(...USERS.map((user) => `'${user}'`));

const CHANGE = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(USER, fc.integer({ min: 1, max: 5 }), fc.boolean())
      .map((values) => `INSERT INTO interactions (user_id, level, success) VALUES (${values.join(", ")})`),
  },
  fc.tuple(WHERE, USER).map(([where, user]) => `UPDATE interactions SET user_id = ${user}, level = 2 WHERE ${where}`),
  WHERE.map((where) => `DELETE FROM interactions WHERE ${where}`),
  fc.constant("TRUNCATE interactions, interaction_metadata"),
);
const STEPS = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ sql: CHANGE }) },
    { weight: 2, arbitrary: fc.constantFrom("fold there", "fold here", "ask here") },
  ),
  { minLength: 3, maxLength: 15 },
);

interface Side {
  url: string;
  connection: Connection;
  questions: StatisticsReader;
  names: Parameters<typeof recount>[1];
  other: pg.Pool;
}

/** Two clusters, for all tests of a `describe`. */
function twoClusters(): () => readonly PostgresServer[] {
  let servers: PostgresServer[] = [];
  beforeAll(async () => {
    const settings = { wal_level: "logical", synchronous_commit: "on" };
    servers = await Promise.all([startPostgres({ settings }), startPostgres({ settings })]);
  });
  afterAll(() => Promise.all(servers.map((server) => server.stop())));
  return () => servers;
}

/** A new database with the tables in it. */
async function databaseIn(server: PostgresServer, partitions: number | undefined): Promise<Side> {
  const { url, drop } = await newDatabase(server.url);
  onTestFinished(drop);
  const connection = new Connection(url, checkedOptions({ schema: SCHEMA, partitions }));
  onTestFinished(() => connection.close());
  const { names } = await ensureTables(connection);
  const questions = new StatisticsReader(connection, names);
  return { url, connection, questions, names, other: otherProgram(url, SCHEMA) };
}

/** Waits until all changes there have been replicated to here. */
async function caughtUp(there: Side): Promise<void> {
  const { rows } = await there.other.query<{ now: string }>("SELECT pg_current_wal_insert_lsn() AS now");
  await vi.waitUntil(async () => {
    const { rows: found } = await there.other.query(
      "SELECT 1 FROM pg_stat_replication WHERE application_name = 'here' AND replay_lsn >= $1",
      [rows[0]?.now],
    );
    return found.length > 0;
  }, PATIENCE_MS);
}

async function expectRight({ questions, connection, names, other }: Side): Promise<void> {
  const counted = await countedRows(other);
  for (let time = 0; time < 2; time += 1) {
    expect(await questions.global()).toEqual(counted.global);
    expect(await questions.users()).toEqual(counted.users);
    for (const user of USERS) expect(withoutMean(await questions.user(user))).toEqual(withoutMean(counted.user(user)));
    await expectTrends(trendsOf(questions), other, USERS);
    await questions.foldAll();
  }
  const { users } = counted;
  expect(await recount(connection, names)).toEqual({ users: users.length, wrongUsers: [], wrongTotals: false });
}

describeWithPostgres("logical replication into another cluster", () => {
  const clusters = twoClusters();

  test.for([
    ["of all tables", "FOR ALL TABLES", undefined],
    ["of the tables with data", "FOR TABLE patterns, pattern_usage, interactions, interaction_metadata", undefined],
    ["of all tables, with partitions", "FOR ALL TABLES", 3],
  ] as const)("%s keeps the statistics of both right", async ([, publication, partitions]) => {
    const [there, here] = (await Promise.all(clusters().map((each) => databaseIn(each, partitions)))) as [Side, Side];
    // This cluster is further ahead: transaction ids of the other one are old here.
    await here.other.query("DO $$ BEGIN FOR n IN 1..3000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$");
    await there.other.query(
      "INSERT INTO interactions (user_id, level, success) VALUES ('a', 3, true), ('b', 1, false)",
    );
    await there.questions.foldAll();
    await there.other.query(`CREATE PUBLICATION p ${publication}`);
    await here.other.query(`CREATE SUBSCRIPTION here CONNECTION '${there.url}' PUBLICATION p`);
    onTestFinished(async () => {
      const client = new pg.Client(here.url);
      await client.connect();
      await client.query("DROP SUBSCRIPTION here").finally(() => client.end());
    });
    await vi.waitUntil(async () => {
      const { rows } = await here.other.query("SELECT 1 FROM pg_subscription_rel WHERE srsubstate <> 'r'");
      return rows.length === 0;
    }, PATIENCE_MS);
    await fc.assert(
      fc.asyncProperty(STEPS, async (steps) => {
        for (const step of steps) {
          if (step === "fold there") await there.questions.foldAll();
          else if (step === "fold here") await here.questions.foldAll();
          else if (step === "ask here") await here.questions.global();
          else if (typeof step === "object") await there.other.query(step.sql);
        }
        await caughtUp(there);
        const rows = (await countedRows(there.other)).global;
        expect((await countedRows(here.other)).global).toEqual(rows);
        await expectRight(there);
        await expectRight(here);
      }),
      { numRuns: runs(5), endOnFailure: true },
    );
  });
});
