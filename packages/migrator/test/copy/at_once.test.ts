import { join } from "node:path";
import { startPgBouncer } from "@perdura/test-servers/pgbouncer/pgbouncer.js";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import Database from "better-sqlite3";
import type pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { copyData } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { runProgram } from "../support/run_program.ts";
import { contentOf, makeDatabase, newSchema, otherProgram } from "./both_sides.ts";
import { type EndedCopy, type RunningCopy, startCopy } from "./copy_process.ts";
import { skipWithout } from "../../../../test/needs.ts";

const ROUNDS = 2;
const MANY = 5000;

const ROWS = {
  patterns: Array.from({ length: 300 }, (_, index) => {
    const fields = ["a", "t", "n", null, null, null, 0.5, 0n, 0n, 0n, null, null, null, null];
    return [`p${index}`, ...fields, BigInt(index + 1)];
  }),
  usage: Array.from({ length: 300 }, (_, index) => [BigInt(index + 1), `p${index}`, "a", 1n, "then"]),
  interactions: Array.from({ length: MANY }, (_, index) => [BigInt(index + 1), "u", 3n, 1n, 1.5, "then"]),
  metadata: [[7n, "{}"]],
};

/** Checks that each copy succeeded, or reports the other one; no raw driver error may be shown. */
function expectClear(ended: readonly EndedCopy[]): void {
  for (const { code, stdout, stderr } of ended) {
    expect(stdout + stderr).not.toMatch(/duplicate key|UNIQUE constraint|deadlock|database is locked|\bat .*\.ts:/);
    expect([0, 5], stdout + stderr).toContain(code);
    expect(stdout.replaceAll(/\s+/g, " ")).toMatch(
      code === 0 ? /are equal\. $/ : /[Rr]un (?:the copy|this command) again/,
    );
  }
  expect(ended.map(({ code }) => code)).toContain(0);
}

/** Runs two identical copies at once, several times; a copy afterwards has nothing to do. */
async function rounds(wordsOf: (round: number) => string[]): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const words = wordsOf(round);
    expectClear(await Promise.all([startCopy(...words).ended, startCopy(...words).ended]));
    expect(await runProgram("copy", "--quiet", ...words)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Nothing to do") as string,
    });
  }
}

const REPORTED =
  "another program has added some of the rows to copy meanwhile. Check that no other copy is running. Copied rows are kept. Run the copy again to finish.";
const ADD = `INSERT INTO interactions (id, user_id, level, success) VALUES (${MANY}, 'other', 1, true)`;

describeWithPostgres("two copies at once", (postgres) => {
  /** Holds back the last row of a copy, which has to wait whether this transaction adds the row. */
  async function heldBack(schema: string): Promise<pg.Client> {
    await copyData(makeDatabase(join(freshFolder(), "empty.db")), postgres.url, { schema });
    const other = await otherProgram(postgres.url, schema);
    await other.query(`BEGIN; ${ADD}`);
    return other;
  }

  /** Waits until a copy is blocked by the transaction that holds a row back. */
  async function waitForLock(other: pg.Client, copy: RunningCopy): Promise<void> {
    const ended = copy.ended.then(({ stdout, stderr }) => {
      throw new Error(`the copy ended without waiting: ${stdout}${stderr}`);
    });
    // A transaction keeps its first snapshot of pg_stat_activity; pg_locks is always current.
    const look = (): Promise<pg.QueryResult> =>
      other.query("SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))");
    while ((await Promise.race([look(), ended])).rowCount === 0);
    ended.catch(() => undefined);
  }

  test("into PostgreSQL: both end with equal rows, or one reports the other", async () => {
    const source = makeDatabase(join(freshFolder(), "m.db"), ROWS);
    await rounds(() => ["--schema", newSchema(), source, postgres.url]);
  });

  test("into PostgreSQL by way of PgBouncer", async (context) => {
    const pooler = await startPgBouncer({ url: postgres.url });
    if (pooler === undefined) return skipWithout("pgbouncer", context);
    onTestFinished(() => pooler.stop());
    const source = makeDatabase(join(freshFolder(), "m.db"), {
      ...ROWS,
      interactions: ROWS.interactions.slice(0, 100),
    });
    await rounds(() => ["--schema", newSchema(), source, pooler.url]);
  });

  test("into SQLite: copies each row once", async () => {
    const folder = freshFolder();
    const schema = newSchema();
    const source = makeDatabase(join(folder, "m.db"), ROWS);
    await copyData(source, postgres.url, { schema });
    await rounds((round) => ["--schema", schema, postgres.url, join(folder, `${round}.db`)]);
    for (let round = 0; round < ROUNDS; round += 1)
      expect(contentOf(join(folder, `${round}.db`))).toEqual(contentOf(source));
  });

  test("reports a time-out; a dry run does not wait, and a killed copy blocks no other", async () => {
    const schema = newSchema();
    const source = makeDatabase(join(freshFolder(), "m.db"), ROWS);
    const other = await heldBack(schema);
    const first = startCopy("--schema", schema, source, postgres.url);
    await first.says("copying interactions");
    const second = await copyData(source, postgres.url, { schema, busyTimeoutMs: 200 });
    expect(second).toMatchObject({ exit_code: 5, tables: [], verified: false });
    expect(second.summary).toMatch(
      /^postgres:.*: another copy into the schema .* is running\. Nothing was changed\. Run this command again/,
    );
    expect(await copyData(source, postgres.url, { schema, dryRun: true })).toMatchObject({ exit_code: 0 });
    const controller = new AbortController();
    const interrupted = await copyData(source, postgres.url, {
      schema,
      signal: controller.signal,
      onProgress: ({ detail }) => detail.startsWith("waiting") && controller.abort(),
    });
    expect(interrupted).toMatchObject({ exit_code: 130 });
    expect(await copyData(source, postgres.url, { schema: newSchema() })).toMatchObject({ exit_code: 0 });
    first.child.kill("SIGKILL");
    await other.query("ROLLBACK");
    expect(await copyData(source, postgres.url, { schema })).toMatchObject({ exit_code: 0, verified: true });
  });

  test("waits for the transaction of a killed copy", async () => {
    const schema = newSchema();
    const source = makeDatabase(join(freshFolder(), "m.db"), ROWS);
    // Holds back later rows: the server continues with received data after its client has ended.
    const other = await heldBack(schema);
    const first = startCopy("--schema", schema, source, postgres.url);
    await first.says("copying interactions");
    await waitForLock(other, first);
    first.child.kill("SIGKILL");
    await first.ended;
    const second = await copyData(source, postgres.url, { schema, busyTimeoutMs: 200 });
    expect(second).toMatchObject({ exit_code: 5, tables: [], verified: false });
    const waiting = copyData(source, postgres.url, {
      schema,
      onProgress: async ({ detail }) => {
        if (detail.startsWith("waiting")) await other.query("ROLLBACK");
      },
    });
    expect(await waiting).toMatchObject({ exit_code: 0, verified: true });
  });

  test("reports another program that adds the same rows to PostgreSQL", async () => {
    const schema = newSchema();
    const source = makeDatabase(join(freshFolder(), "m.db"), ROWS);
    const other = await heldBack(schema);
    const copy = startCopy("--schema", schema, source, postgres.url);
    await copy.says("copying interactions");
    await other.query("COMMIT");
    const { code, stdout, stderr } = await copy.ended;
    expect(code, stdout + stderr).toBe(5);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(REPORTED);
    const repeated = await copyData(source, postgres.url, { schema });
    expect(repeated.tables.flatMap(({ differences }) => differences)).toEqual([
      { key: `${MANY}`, columns: ["user_id", "level", "response_time_ms", "timestamp"] },
    ]);
    expect(await copyData(source, postgres.url, { schema, replace: true })).toMatchObject({ exit_code: 0 });
  });

  test("reports another program that adds the same rows to SQLite", async () => {
    const folder = freshFolder();
    const schema = newSchema();
    await copyData(makeDatabase(join(folder, "m.db"), ROWS), postgres.url, { schema });
    const back = makeDatabase(join(folder, "back.db"));
    const other = new Database(back);
    onTestFinished(() => void other.close());
    // With a write-ahead log, others can write while the copy compares.
    other.pragma("journal_mode = WAL");
    let added = 0;
    const onProgress = ({ detail }: { detail: string }): void => {
      if (detail === "comparing interaction_metadata" && (added += 1) === 1) other.exec(ADD);
    };
    const report = await copyData(postgres.url, back, { schema, onProgress });
    expect(report).toMatchObject({ exit_code: 5, verified: false });
    expect(report.summary).toBe(`${back}: ${REPORTED}`);
    expect(await copyData(postgres.url, back, { schema })).toMatchObject({ exit_code: 3 });
    expect(await copyData(postgres.url, back, { schema, replace: true })).toMatchObject({ exit_code: 0 });
  });
});
