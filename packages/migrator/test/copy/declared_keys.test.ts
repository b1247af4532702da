import { join } from "node:path";
import { PostgresMetricsCollector } from "@perdura/postgres";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { dropTestObject, testName } from "@perdura/test-servers/postgres/test_objects.js";
import { MetricsCollector } from "@perdura/v16";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { copyData } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { schemaErrorsOf } from "../support/report_schema.ts";
import { runProgram } from "../support/run_program.ts";
import { newSchema, otherProgram } from "./both_sides.ts";

const KEYS = { keys: ["model", "tool"], numbers: ["tokens"] };

/** A database with interactions, and with declared keys if they are given. */
function databaseWith(breakdown?: { keys: string[]; numbers?: string[] }): string {
  const path = join(freshFolder(), "metrics.db");
  using metrics = new MetricsCollector(path, { breakdown });
  for (let row = 0; row < 30; row += 1)
    metrics.recordMetric(`user ${row % 3}`, true, row, { tool: `tool ${row % 4}`, tokens: row });
  return path;
}

const declaredIn = (path: string): unknown[] => {
  const database = new Database(path, { readonly: true });
  try {
    return database.prepare("SELECT kind, key FROM perdura_declared_keys ORDER BY kind, key").raw().all();
  } finally {
    database.close();
  }
};

const ROWS = [
  ["key", "model"],
  ["key", "tool"],
  ["number", "tokens"],
];

describeWithPostgres("a copy of declared keys", (postgres) => {
  test("declares them in the target, and there and back", async () => {
    const schema = newSchema();
    const source = databaseWith(KEYS);
    const program = await otherProgram(postgres.url, schema);
    const declared = async (): Promise<unknown[]> =>
      (
        await program.query({
          text: "SELECT kind, key FROM perdura_declared_keys ORDER BY kind, key",
          rowMode: "array",
        })
      ).rows;
    const planned = await copyData(source, postgres.url, { schema, dryRun: true });
    expect(planned.declared_keys).toEqual({ ...KEYS, outcome: "declared" });
    expect((await program.query("SELECT to_regclass('perdura_declared_keys') AS found")).rows).toEqual([
      { found: null },
    ]);
    const report = await copyData(source, postgres.url, { schema });
    expect(report).toMatchObject({ exit_code: 0, verified: true, declared_keys: { ...KEYS, outcome: "declared" } });
    expect(schemaErrorsOf("copy-report", report)).toEqual([]);
    expect(await declared()).toEqual(ROWS);
    // The sums that the copy computed have those by key, as far as older transactions of other tests allow.
    expect((await program.query("SELECT key FROM perdura_summed_keys ORDER BY key")).rows).toHaveLength(2);
    expect(await copyData(source, postgres.url, { schema })).toMatchObject({
      exit_code: 0,
      declared_keys: { outcome: "kept" },
    });
    const back = join(freshFolder(), "back.db");
    const returned = await copyData(postgres.url, back, { schema });
    expect(returned).toMatchObject({ exit_code: 0, declared_keys: { ...KEYS, outcome: "declared" } });
    expect(declaredIn(back)).toEqual(ROWS);
    expect((await copyData(postgres.url, back, { schema })).declared_keys).toMatchObject({ outcome: "kept" });
    const collector = new PostgresMetricsCollector(postgres.url, { schema });
    using theirs = new MetricsCollector(back);
    expect(await collector.getBreakdown("tool")).toEqual(theirs.getBreakdown("tool"));
    await collector.close();
  });

  test("declares them also if the rows were copied before", async () => {
    const schema = newSchema();
    const source = databaseWith();
    expect((await copyData(source, postgres.url, { schema })).declared_keys).toBeNull();
    const back = join(freshFolder(), "back.db");
    await copyData(postgres.url, back, { schema });
    new MetricsCollector(source, { breakdown: KEYS }).close();
    expect(await copyData(source, postgres.url, { schema })).toMatchObject({
      summary: expect.stringContaining("Nothing to do"),
      declared_keys: { outcome: "declared" },
    });
    await copyData(postgres.url, back, { schema });
    expect(declaredIn(back)).toEqual(ROWS);
  });

  test("copies the rows for a role that may not declare keys", async () => {
    const schema = newSchema();
    const metrics = new PostgresMetricsCollector(postgres.url, { schema });
    await metrics.getAllUsers();
    await metrics.close();
    const program = await otherProgram(postgres.url, schema);
    const role = testName();
    onTestFinished(() => dropTestObject(program, "ROLE", role));
    const name = `"${schema.replaceAll('"', '""')}"`;
    await program.query(`CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA ${name} TO ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${name} TO ${role};
      GRANT ALL ON ALL SEQUENCES IN SCHEMA ${name} TO ${role}`);
    const url = Object.assign(new URL(postgres.url), { username: role }).href;
    const { stdout, code } = await runProgram("copy", "--schema", schema, databaseWith(KEYS), url);
    expect(stdout).toContain("declared numbers tokens: not declared, because the role does not own the tables");
    expect(code).toBe(0);
    expect((await program.query("SELECT to_regclass('perdura_declared_keys') AS found")).rows).toEqual([
      { found: null },
    ]);
  });

  test("keeps the keys that the target declares", async () => {
    const schema = newSchema();
    const metrics = new PostgresMetricsCollector(postgres.url, { schema, breakdown: { keys: ["other"] } });
    await metrics.getAllUsers();
    await metrics.close();
    const { stdout, code } = await runProgram("copy", "--schema", schema, databaseWith(KEYS), postgres.url);
    expect(code).toBe(0);
    expect(stdout).toContain(
      "declared keys model, tool; declared numbers tokens: not declared, because the target has declared keys\n",
    );
    const program = await otherProgram(postgres.url, schema);
    expect((await program.query("SELECT key FROM perdura_declared_keys")).rows).toEqual([{ key: "other" }]);
  });
});
