import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { dropTestObject, testName } from "@perdura/test-servers/postgres/test_objects.js";
import { PostgresMetricsCollector, PostgresPatternPersistence } from "@perdura/postgres";
import { PatternLibrary } from "@perdura/v16";
import { expect, onTestFinished, test } from "vitest";
import { planMigration, verifyMigration, verifyServers } from "../../src/index.ts";
import { newSchema, otherProgram } from "../copy/both_sides.ts";
import { schemaErrorsOf } from "../support/report_schema.ts";
import { runProgram } from "../support/run_program.ts";

/** A schema with two patterns, and 21 folded rows of three users. */
async function filled(url: string, partitions?: number): Promise<string> {
  const schema = newSchema();
  const metrics = new PostgresMetricsCollector(url, { schema, partitions });
  const records = Array.from({ length: 21 }, (_, row) => ({
    user_id: `u${row % 3}`,
    success: true,
    response_time_ms: row,
  }));
  await metrics.recordMany(records);
  await metrics.close();
  const patterns = new PostgresPatternPersistence(url, { schema });
  const library = new PatternLibrary();
  for (const id of ["p1", "p2"]) library.contribute("a", { id, pattern_type: "t", name: id });
  await patterns.save(library);
  await patterns.close();
  return schema;
}

const verify = (...words: string[]): ReturnType<typeof runProgram> => runProgram("verify", ...words);

describeWithPostgres("perdura-migrate verify postgres://…", (postgres) => {
  test("finds no difference in correct data", async () => {
    const schema = await filled(postgres.url);
    expect(await verifyServers(postgres.url, { schema })).toMatchObject({
      exit_code: 0,
      servers: [{ status: "verified", users: 3, wrong_users: [], patterns: 2, counters_behind: [], recount: null }],
    });
    const shown = await verify("--schema", schema, postgres.url);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain("verified\n  statistics: 3 users\n  patterns: 2 patterns\n");
    expect(shown.stdout).toMatch(/Compared: 1 verified\. The statistics match all rows/);
    const json = await verify("--json", "--schema", schema, postgres.url, postgres.url);
    expect(JSON.parse(json.stdout)).toMatchObject({ exit_code: 0, servers: [{}, {}] });
    expect(schemaErrorsOf("servers-report", JSON.parse(json.stdout))).toEqual([]);
  });

  test.each([
    ["one table", undefined, "", "", "1000 + n"],
    // The same ids, but of a user who has no such interactions.
    ["partitions", 3, ", user_id", ", 'other'", "n"],
  ])("reports metadata without an interaction in %s, and forget deletes them", async (...row) => {
    const [, partitions, column, user, id] = row;
    const schema = await filled(postgres.url, partitions);
    const other = await otherProgram(postgres.url, schema);
    await other.query(`INSERT INTO interaction_metadata (interaction_id, metadata${column}) SELECT id, '{"note": "secret"}'${column} FROM interactions;
      SET session_replication_role = replica;
      INSERT INTO interaction_metadata (interaction_id, metadata${column}) SELECT ${id}, '{}'${user} FROM generate_series(1, 3) AS n;
      RESET session_replication_role`);
    const report = await verifyServers(postgres.url, { schema });
    expect(schemaErrorsOf("servers-report", report)).toEqual([]);
    expect(report.servers).toMatchObject([{ orphaned_metadata: 3 }]);
    const { stdout } = await verify("--schema", schema, postgres.url);
    expect(stdout).toContain("3 metadata texts without an interaction");
    expect((await runProgram("forget", "--orphans", "--yes", "--schema", schema, postgres.url)).code).toBe(0);
    const { rows } = await other.query("SELECT count(*)::integer AS left FROM interaction_metadata");
    expect(rows).toEqual([{ left: 21 }]);
    expect((await verifyServers(postgres.url, { schema })).servers).toMatchObject([{ orphaned_metadata: 0 }]);
  });

  test("names differences, and its command repairs the statistics", async () => {
    const schema = await filled(postgres.url);
    const other = await otherProgram(postgres.url, schema);
    // Changes that no trigger sees: sums without rows.
    await other.query(`INSERT INTO perdura_user_rollup SELECT 'x' || n, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0 FROM generate_series(1, 12) AS n;
      INSERT INTO patterns (id, agent_id, pattern_type, name, context_raw) VALUES ('p3', 'a', 't', 'n', '{"a": NaN}');
      ALTER SEQUENCE interactions_id_seq RESTART WITH 3; SELECT nextval('interactions_id_seq')`);
    const report = await verifyServers(postgres.url, { schema });
    expect(schemaErrorsOf("servers-report", report)).toEqual([]);
    expect(report).toMatchObject({
      exit_code: 4,
      servers: [
        {
          status: "differs",
          users: 15,
          wrong_user_count: 12,
          wrong_totals: true,
          patterns: 2,
          invalid_pattern_count: 1,
          invalid_patterns: [{ pattern: "p3" }],
          counters_behind: [{ table: "interactions", column: "id", last: "3", highest: "21" }],
        },
      ],
    });
    const [server] = report.servers;
    expect(server?.wrong_users).toEqual(["x1", "x10", "x11", "x12", "x2", "x3", "x4", "x5", "x6", "x7"]);
    const shown = await verify("--schema", schema, postgres.url);
    expect(shown.code).toBe(4);
    expect(shown.stdout.replaceAll(/\s+/g, " ")).toMatch(
      /the statistics of 12 differ from their rows: x1, .*, x7, and 2 more/,
    );
    expect(shown.stdout).toContain(server?.recount);
    const postgresPackage = fileURLToPath(new URL("../../../postgres/", import.meta.url));
    const said = execFileSync(
      "sh",
      ["-c", (server?.recount ?? "").replace("node ", `'${process.execPath}' --conditions=@perdura/source `)],
      {
        cwd: postgresPackage,
        encoding: "utf8",
      },
    );
    expect(said).toContain("'x1'");
    expect(await verifyServers(postgres.url, { schema })).toMatchObject({
      exit_code: 4,
      servers: [{ users: 3, wrong_users: [], wrong_totals: false, recount: null }],
    });
  });

  test("writes nothing and needs no write privileges", async () => {
    const schema = await filled(postgres.url);
    const other = await otherProgram(postgres.url, schema);
    const role = testName();
    onTestFinished(() => dropTestObject(other, "ROLE", role));
    const quoted = `"${schema.replaceAll('"', '""')}"`;
    await other.query(`CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA ${quoted} TO ${role};
      GRANT SELECT ON ALL TABLES IN SCHEMA ${quoted} TO ${role}; ALTER ROLE ${role} SET default_transaction_read_only = on`);
    const url = new URL(postgres.url);
    url.username = role;
    expect(await verifyServers(url.href, { schema })).toMatchObject({ exit_code: 0, servers: [{ users: 3 }] });
  });

  test.for([
    [
      "successes of another type",
      "ALTER TABLE interactions ALTER COLUMN success TYPE int USING success::int",
      /not as expected/,
    ],
    ["a question that fails", "DROP FUNCTION perdura_user_trend", /not as expected/],
    [
      "a column without a value",
      "ALTER TABLE interactions ADD COLUMN note text NOT NULL DEFAULT 'n'; ALTER TABLE interactions ALTER COLUMN note DROP DEFAULT",
      /the column note of .*interactions is NOT NULL/,
    ],
    ["a renamed schema", "ALTER SCHEMA %I RENAME TO %I", /RENAME TO/],
  ] as const)("names a change of the tables: %s", async ([, sql, reason]) => {
    const schema = await filled(postgres.url);
    const other = await otherProgram(postgres.url, schema);
    const renamed = sql.startsWith("ALTER SCHEMA") ? newSchema() : schema;
    const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
    await other.query(sql.replace("%I", () => quoted(schema)).replace("%I", () => quoted(renamed)));
    const report = await verifyServers(postgres.url, { schema: renamed });
    expect(report).toMatchObject({ exit_code: 1, servers: [{ status: "failed" }] });
    expect(report.servers[0]?.reason).toMatch(reason);
  });

  test("reports an empty schema, or a missing server", async () => {
    const nothing = await verifyServers(postgres.url, { schema: newSchema() });
    expect(nothing).toMatchObject({ exit_code: 1, servers: [{ status: "failed" }] });
    expect(nothing.servers[0]?.reason).toMatch(/the schema .* has no tables of perdura/);
    const schema = await filled(postgres.url);
    const report = await verifyServers(["postgres://u:geheim@127.0.0.1:1/d", postgres.url], { schema });
    expect(report).toMatchObject({ exit_code: 1, servers: [{ status: "failed" }, { status: "verified" }] });
    expect(JSON.stringify(report)).not.toContain("geheim");
    expect(schemaErrorsOf("servers-report", report)).toEqual([]);
  });

  test.each([
    ["verify", ["postgres://u:geheim@h/d", "."], /either files and directories or addresses/],
    ["verify", ["s3://u:geheim@h/d"], /either files and directories or addresses/],
    ["verify", ["--schema", "x", "."], /--schema cannot be used with files/],
    ["verify", ["--backup-dir", ".", "postgres://u:geheim@h/d"], /--backup-dir cannot be used with the address/],
    ["plan", ["postgres://u:geheim@h/d"], /only copy, verify and forget accept the address of a server/],
    ["prune", ["postgres://u:geheim@h/d"], /only copy, verify and forget accept the address of a server/],
  ])("refuses %s %j", async (command, words, message) => {
    const seen = await runProgram(command, ...words);
    expect(seen.code).toBe(2);
    expect(seen.stderr).toMatch(message);
    expect(seen.stderr).not.toContain("geheim");
  });

  test("the functions for files refuse addresses, and this one refuses paths", async () => {
    for (const call of [planMigration, verifyMigration])
      await expect(call("postgres://u:geheim@h/d")).rejects.toThrow(
        /^targets: expected paths, got the address of a server/,
      );
    await expect(verifyServers(["postgres://h/d", "./geheim"])).rejects.toThrow(
      /^places: expected an address that begins/,
    );
    await expect(verifyServers([])).rejects.toThrow(/^places: /);
  });
});
