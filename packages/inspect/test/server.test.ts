import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { copyData } from "@perdura/migrator";
import { PostgresMetricsCollector, PostgresPatternPersistence } from "@perdura/postgres";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { dropTestObject, testName } from "@perdura/test-servers/postgres/test_objects.js";
import { MetricsCollector, PatternLibrary, PatternPersistence } from "@perdura/v16";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { programWords } from "../../../test/programs.ts";
import { json } from "./json_schema.ts";
import { runProgram } from "./run_program.ts";
import { layOut } from "./sample_folder.ts";

const PROGRAM = programWords(new URL("../src/cli.ts", import.meta.url));

/** A connection of another program. */
async function otherProgram(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Copies the sample folder into a new schema, which the test removes. */
async function copiedFolder(url: string): Promise<{ folder: string; schema: string }> {
  const [folder, schema] = [layOut(), testName()];
  const client = await otherProgram(url);
  onTestFinished(() => dropTestObject(client, "SCHEMA", schema));
  expect((await copyData(folder, url, { schema })).exit_code).toBe(0);
  return { folder, schema };
}

/** The address without the password that the server of the tests has. */
const shown = (url: string): string => url.replace(/:[^:@/]*@/, "@");

describeWithPostgres("a server", (postgres) => {
  test("is found by an address with several hosts", async () => {
    const { schema } = await copiedFolder(postgres.url);
    const address = `${postgres.url.replace(/@([^/]+)\//, "@127.0.0.1:1,$1/")}?target_session_attrs=primary`;
    const { code, stdout } = await runProgram([address, "--schema", schema]);
    expect(code).toBe(0);
    expect(stdout).toContain("@127.0.0.1:1,");
  });

  test("has the same figures as the databases that were copied into it", async () => {
    const { folder, schema } = await copiedFolder(postgres.url);
    const run = async (...words: string[]) => json(await runProgram([...words, "--json"], { cwd: folder }));
    const [server] = (await run(postgres.url, "--schema", schema))["databases"] as object[];
    const [metrics, patterns] = (await run("."))["databases"] as { metrics: object; patterns: object }[];
    expect(server).toEqual({
      path: `${shown(postgres.url)} (schema ${schema})`,
      bytes: null,
      line: "16+",
      layout: "PostgreSQL, layout of version 16",
      metrics: metrics?.metrics,
      patterns: patterns?.patterns,
      orphaned_metadata: 0,
      quarantined: [],
    });
    const onServer = [postgres.url, "--schema", schema];
    for (const [command, ...options] of [
      ["patterns list", "--agent", "reviewer"],
      ["metrics show"],
      ["metrics users"],
      ["metrics trend", "--user", "alice", "--bucket", "week"],
      ["metrics trend", "--since", "2026-01-06"],
      ["metrics breakdown", "tool"],
      ["metrics user"],
      ["metrics show", "--since", "2026-01-06"],
      ["metrics show", "--since", "2026-01-06", "--until", "2026-01-07"],
      ["metrics users", "--until", "2026-01-12T10:00:00"],
      ["metrics user", "--since", "2026-01-12"],
    ] as [string, ...string[]][]) {
      const user = command === "metrics user" ? ["alice"] : [];
      const [place, ...schemaOption] = onServer as [string, ...string[]];
      const { path: _, ...ours } = await run(...command.split(" "), place, ...user, ...schemaOption, ...options);
      const { path: __, ...theirs } = await run(...command.split(" "), ".", ...user, ...options);
      expect(ours).toEqual(theirs);
    }
    expect((await run("patterns", "show", postgres.url, "retry", "--schema", schema))["pattern"]).toEqual(
      (await run("patterns", "show", ".", "retry"))["pattern"],
    );
    const interactions = async (from: string[]): Promise<unknown> => {
      await run("metrics", "export", ...from.slice(0, 1), "all.jsonl", ...from.slice(1));
      return readFileSync(join(folder, "all.jsonl"), "utf8");
    };
    expect(await interactions(onServer)).toEqual(await interactions(["."]));
    rmSync(join(folder, "state"), { recursive: true });
    const compared = await runProgram(["compare", ".", ...onServer, "--quiet"], { cwd: folder });
    expect(compared.stdout).toMatch(
      /Nothing of \. is missing in postgres:.*: 4 rows of metrics compared, all the same; 3 patterns compared, all the same; 1 usage row of patterns compared, all the same\.\n$/,
    );
    expect(compared.code).toBe(0);
  });

  test("has the same breakdowns as the database that was copied into it", async () => {
    const [folder, schema] = [freshFolder(), testName()];
    const collector = new MetricsCollector(join(folder, "metrics.db"));
    for (let call = 0; call < 20; call += 1)
      collector.recordMetric("alice", call % 3 > 0, call, { tool: ["a", "b", "c\0"][call % 3], call, model: true });
    collector.close();
    const client = await otherProgram(postgres.url);
    onTestFinished(() => dropTestObject(client, "SCHEMA", schema));
    expect((await copyData(folder, postgres.url, { schema })).exit_code).toBe(0);
    const found = async (...words: string[]): Promise<unknown> => {
      const { metrics } = json(await runProgram(["metrics", "show", ...words, "--json"])) as {
        metrics: { breakdowns: { key: string; values: { value?: unknown }[] }[] };
      };
      return metrics.breakdowns.map(({ key, values }) => [key, values.map(({ value }) => value)]);
    };
    const [ours, theirs] = [await found(postgres.url, "--schema", schema), await found(folder)];
    expect(theirs).toEqual([["tool", ["a", "b", "c\0"]]]);
    // PostgreSQL does not look into metadata with an escaped NUL character.
    expect(ours).toEqual([["tool", ["a", "b", null]]]);
  });

  test("is compared row by row: rows that change places have the same sums", async () => {
    const { folder, schema } = await copiedFolder(postgres.url);
    rmSync(join(folder, "state"), { recursive: true });
    const other = await otherProgram(postgres.url);
    await other.query(
      `UPDATE ${schema}.interactions AS i SET response_time_ms = o.response_time_ms FROM ${schema}.interactions AS o
       WHERE i.user_id = 'alice' AND o.user_id = 'alice' AND i.id <> o.id AND i.id IN (SELECT id FROM ${schema}.interactions WHERE user_id = 'alice' ORDER BY id LIMIT 2) AND o.id IN (SELECT id FROM ${schema}.interactions WHERE user_id = 'alice' ORDER BY id LIMIT 2)`,
    );
    const { code, stdout } = await runProgram(["compare", ".", postgres.url, "--schema", schema, "--quiet"], {
      cwd: folder,
    });
    expect([code, stdout]).toEqual([4, expect.stringContaining("4 rows of metrics compared, 2 changed")]);
  });

  test("is read by a role that may only read, and its sums are not updated", async () => {
    const { schema } = await copiedFolder(postgres.url);
    const metrics = new PostgresMetricsCollector(postgres.url, { schema });
    onTestFinished(() => metrics.close());
    // More rows than any question adds without updating the sums.
    await metrics.recordMany(
      Array.from({ length: 3000 }, () => ({ user_id: "dora", level: 1, success: true, response_time_ms: 1 })),
    );
    const [other, role] = [await otherProgram(postgres.url), testName()];
    await other.query(`CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${role};
      GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
    onTestFinished(() => dropTestObject(other, "ROLE", role));
    const state = async () => (await other.query(`SELECT * FROM ${schema}.perdura_rollup`)).rows as unknown[];
    const before = await state();
    const address = postgres.url.replace(/\/\/[^@/]*@/, `//${role}@`);
    // Also as the owner, who may update the sums.
    for (const server of [address, postgres.url]) {
      const { code, stdout, stderr } = await runProgram([server, "--schema", schema]);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toContain("3,004 operations of 3 users");
      expect(await state()).toEqual(before);
    }
  });

  test("receives patterns and gives them back", async () => {
    const folder = layOut();
    const schema = testName();
    const other = await otherProgram(postgres.url);
    onTestFinished(() => dropTestObject(other, "SCHEMA", schema));
    const run = (...words: string[]) => runProgram(words, { cwd: folder });
    const server = [postgres.url, "--schema", schema];
    const place = shown(postgres.url);
    expect(await run("patterns", "import", "patterns.db", ...server, "--agent", "reviewer")).toEqual({
      code: 0,
      stdout: `${place}: 2 patterns added.\n`,
      stderr: "",
    });
    expect((await run("patterns", "export", "patterns.db", ...server)).stdout).toBe(
      `${place}: 1 pattern added, 2 duplicates unchanged.\n`,
    );
    expect((await run("patterns", "export", postgres.url, "copy.json", "--schema", schema)).stdout).toBe(
      "copy.json: 3 patterns added.\n",
    );
    expect(PatternPersistence.loadFromJson(join(folder, "copy.json")).patterns).toEqual(
      PatternPersistence.loadFromSqlite(join(folder, "patterns.db")).patterns,
    );
    const changed = new PatternLibrary();
    changed.contribute("reviewer", { id: "retry", pattern_type: "behaviour", name: "Another name" });
    PatternPersistence.saveToJson(changed, join(folder, "changed.json"));
    expect(await run("patterns", "import", "changed.json", ...server)).toEqual({
      code: 3,
      stdout: "",
      stderr: `perdura-inspect: ${place} has other patterns with the same ids: "retry". Nothing was written. Use --on-conflict keep or --on-conflict replace.\n`,
    });
    await run("patterns", "import", "changed.json", ...server, "--on-conflict", "replace");
    const stored = new PostgresPatternPersistence(postgres.url, { schema });
    onTestFinished(() => stored.close());
    expect((await stored.load()).get("retry")?.name).toBe("Another name");
  });

  test("is watched", async () => {
    const { schema } = await copiedFolder(postgres.url);
    const metrics = new PostgresMetricsCollector(postgres.url, { schema });
    onTestFinished(() => metrics.close());
    const words = [...PROGRAM, "watch", "postgres://", "--schema", schema, "--json", "--interval", "1"];
    const child = spawn(process.execPath, words, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, PERDURA_POSTGRES_URL: postgres.url },
    });
    const [ended, stderr] = [once(child, "exit"), text(child.stderr)];
    const operations: number[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      operations.push((JSON.parse(line) as { operations: number }).operations);
      if (operations.length === 1) await metrics.recordInteraction("bob", 2, false, 20);
      if (operations.length === 2) child.kill("SIGINT");
    }
    expect(operations).toEqual([4, 5]);
    expect(await ended).toEqual([130, null]);
    expect(await stderr).toBe("perdura-inspect: Interrupted.\n");
  });

  test("with several schemas shows all of them, and needs a decision for one", async () => {
    const [first, second] = [await copiedFolder(postgres.url), await copiedFolder(postgres.url)];
    const { stdout } = await runProgram([postgres.url]);
    for (const { schema } of [first, second]) expect(stdout).toContain(`(schema ${schema})`);
    expect(stdout).toMatch(/2 databases\.\n$/);
    const undecided = await runProgram(["metrics", "show", postgres.url]);
    expect(undecided.code).toBe(3);
    expect(undecided.stderr).toMatch(/contains 2 databases with metrics: .*\. Choose one with --schema\.\n$/);
    expect((await runProgram(["metrics", "show", postgres.url, "--schema", first.schema])).code).toBe(0);
    const absent = await runProgram([postgres.url, "--schema", "absent"]);
    expect(absent.code).toBe(2);
    expect(absent.stderr).toContain("the schema absent has no tables of perdura. These schemas have them: ");
  });

  test("without data of perdura, or that cannot be reached, is an error without a password", async () => {
    const other = await otherProgram(postgres.url);
    const role = testName();
    await other.query(`CREATE ROLE ${role} LOGIN PASSWORD 'geheim'`);
    onTestFinished(() => dropTestObject(other, "ROLE", role));
    const address = postgres.url.replace(/\/\/[^@/]*@/, `//${role}:geheim@`);
    expect(await runProgram([address])).toEqual({
      code: 2,
      stdout: "",
      stderr: `perdura-inspect: ${shown(address)}: no schema of this database has tables of perdura.\n`,
    });
    const unreachable = await runProgram(["patterns", "list", "postgres://alice:geheim@localhost:1/agents"]);
    expect(unreachable).toMatchObject({ code: 1, stdout: "" });
    expect(unreachable.stderr).toMatch(/^perdura-inspect: postgres:\/\/alice@localhost:1\/agents: /);
    for (const { stderr } of [await runProgram([address]), unreachable]) expect(stderr).not.toContain("geheim");
  });

  test("is accepted only where the command can use it", async () => {
    const folder = layOut();
    for (const words of [
      ["state", "list", postgres.url],
      ["metrics", "export", ".", postgres.url],
      ["mysql://root:geheim@h/d"],
      ["metrics", "show", "postgres:/h/d"],
      [".", "--schema", "agents"],
    ]) {
      const { code, stderr } = await runProgram(words, { cwd: folder });
      expect([words, code]).toEqual([words, 2]);
      expect(stderr).toMatch(/got an address that is not accepted here|--schema requires an address/);
      expect(stderr).not.toContain("geheim");
    }
  });
});
