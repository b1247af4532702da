import { join } from "node:path";
import { PostgresTables } from "@perdura/postgres/tables";
import { startPgBouncer } from "@perdura/test-servers/pgbouncer/pgbouncer.js";
import { newDatabase } from "@perdura/test-servers/postgres/database.js";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { dropTestObject, testName } from "@perdura/test-servers/postgres/test_objects.js";
import type pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { PATIENCE_MS } from "../../../../test/patience.ts";
import { copyData } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { contentOf, makeDatabase, otherProgram, patternRow } from "./both_sides.ts";

const LIMITS = [
  "statement_timeout",
  "idle_in_transaction_session_timeout",
  "transaction_timeout",
  "idle_session_timeout",
  "lock_timeout",
];

/** Tables that each kind of work writes to: preparing, copying, replacing, and adding up. */
const WRITTEN = ["perdura_meta", "patterns", "interactions", "perdura_user_rollup"];

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

/** What takes longer than the server allows; meanwhile the connection that keeps other copies out is idle. */
const SLOW = `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_sleep(0.5);
    IF NOT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted) THEN
      RAISE EXCEPTION 'nothing keeps other copies out any more';
    END IF;
    RETURN NULL;
  END $$`;

describeWithPostgres("a database whose statements may take four tenths of a second", (postgres) => {
  /** A database with tables on which each statement takes too long. */
  async function slowDatabase(): Promise<{ url: string; other: pg.Client }> {
    const database = await newDatabase(postgres.serverUrl);
    onTestFinished(() => database.drop());
    const tables = new PostgresTables(database.url);
    await tables.ensure();
    await tables.close();
    const other = await otherProgram(database.url, "perdura");
    await other.query(SLOW);
    for (const table of WRITTEN)
      await other.query(
        `CREATE TRIGGER slow BEFORE INSERT OR UPDATE OR DELETE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION slow()`,
      );
    const { rows: known } = await other.query<{ name: string }>("SELECT name FROM pg_settings WHERE name = ANY ($1)", [
      LIMITS,
    ]);
    for (const { name } of known) await other.query(`ALTER DATABASE ${database.name} SET ${name} = '400ms'`);
    return { url: database.url, other };
  }

  async function expectThereAndBack(url: string): Promise<void> {
    const folder = freshFolder();
    const done = { exit_code: 0, verified: true };
    expect(await copyData(makeDatabase(join(folder, "m.db"), ROWS), url)).toMatchObject(done);
    const other = makeDatabase(join(folder, "other.db"), OTHER_ROWS);
    expect(await copyData(other, url, { replace: true })).toMatchObject(done);
    expect(await copyData(url, join(folder, "back.db"))).toMatchObject(done);
    expect(contentOf(join(folder, "back.db"))).toEqual(contentOf(other));
  }

  test("is copied into, added up and read", async () => {
    const { url, other } = await slowDatabase();
    await expectThereAndBack(url);
    const tables = new PostgresTables(url);
    onTestFinished(() => tables.close());
    // Once no transaction of other tests is as old.
    await vi.waitUntil(async () => {
      await tables.refresh();
      const { rows } = await other.query<{ operations: string }>("SELECT operations FROM perdura_user_rollup");
      return rows[0]?.operations === "1";
    }, PATIENCE_MS);
  });

  test("is copied into by way of PgBouncer", async ({ skip }) => {
    const { url } = await slowDatabase();
    const pooler = await startPgBouncer({ url });
    if (pooler === undefined) return skip("PgBouncer is not installed");
    onTestFinished(() => pooler.stop());
    await expectThereAndBack(pooler.url);
  });

  test.for(["direct", "PgBouncer"])("takes as long to read as it takes, %s", async (way, context) => {
    const { url, other } = await slowDatabase();
    const source = makeDatabase(join(freshFolder(), "m.db"), ROWS);
    await copyData(source, url);
    // A plain user reads by way of a policy, which nothing does for a superuser.
    const user = testName();
    onTestFinished(() => dropTestObject(other, "ROLE", user));
    await other.query(`CREATE ROLE ${user} LOGIN; GRANT ALL ON SCHEMA perdura TO ${user};
      GRANT ALL ON ALL TABLES IN SCHEMA perdura TO ${user}; GRANT ALL ON ALL SEQUENCES IN SCHEMA perdura TO ${user};
      CREATE FUNCTION slowly() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.5); RETURN true; END $$;
      ALTER TABLE interactions ENABLE ROW LEVEL SECURITY;
      CREATE POLICY slow ON interactions USING (slowly())`);
    const place = new URL(url);
    place.username = user;
    let through = place.href;
    if (way === "PgBouncer") {
      const pooler = await startPgBouncer({ url: place.href });
      if (pooler === undefined) return context.skip("PgBouncer is not installed");
      onTestFinished(() => pooler.stop());
      through = pooler.url;
    }
    const back = join(freshFolder(), "back.db");
    expect(await copyData(through, back)).toMatchObject({ exit_code: 0, verified: true });
    expect(contentOf(back)).toEqual(contentOf(source));
    expect(await copyData(source, through)).toMatchObject({ exit_code: 0, verified: true });
  });
});
