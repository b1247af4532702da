import { PostgresTables } from "@perdura/postgres/tables";
import { newDatabase } from "@perdura/test-servers/postgres/database.js";
import pg from "pg";
import type { TestContext } from "vitest";

export const LIMITS: readonly string[] = [
  "statement_timeout",
  "idle_in_transaction_session_timeout",
  "transaction_timeout",
  "idle_session_timeout",
  "lock_timeout",
];

/** Tables that each stage writes to: preparing, copying, replacing, and folding. */
const WRITTEN: readonly string[] = ["perdura_meta", "patterns", "interactions", "perdura_user_rollup"];

/** Takes longer than the server allows; meanwhile the connection that holds the lock against other copies is idle. */
const slowFunction = (limitMs: number): string => `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_sleep(${(limitMs + 100) / 1000});
    IF NOT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) THEN
      RAISE EXCEPTION 'nothing keeps other copies out any more';
    END IF;
    RETURN NULL;
  END $$`;

/**
 * A database that allows a time for each statement and each pause, with tables on which each write takes longer. It is
 * dropped after the test, which may run at the same time as others.
 *
 * @param limitMs The time, in milliseconds.
 */
export async function slowDatabase(
  serverUrl: string,
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  {
    written = WRITTEN,
    limits = LIMITS,
    limitMs = 400,
  }: { written?: readonly string[]; limits?: readonly string[]; limitMs?: number } = {},
): Promise<{ url: string; other: pg.Client }> {
  const database = await newDatabase(serverUrl);
  onTestFinished(() => database.drop());
  const tables = new PostgresTables(database.url);
  await tables.ensure();
  await tables.close();
  const other = new pg.Client({ connectionString: database.url });
  other.on("error", () => undefined);
  await other.connect();
  onTestFinished(() => other.end());
  await other.query(`SET search_path = perdura; ${slowFunction(limitMs)}`);
  for (const table of written)
    await other.query(
      `CREATE TRIGGER slow BEFORE INSERT OR UPDATE OR DELETE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION slow()`,
    );
  const { rows: known } = await other.query<{ name: string }>("SELECT name FROM pg_settings WHERE name = ANY ($1)", [
    limits,
  ]);
  for (const { name } of known) await other.query(`ALTER DATABASE ${database.name} SET ${name} = ${limitMs}`);
  return { url: database.url, other };
}
