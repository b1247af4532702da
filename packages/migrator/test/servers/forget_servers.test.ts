import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { PostgresMetricsCollector, PostgresPatternPersistence } from "@perdura/postgres";
import { PatternLibrary } from "@perdura/v16";
import { expect, test } from "vitest";
import { forgetData, type MaintenanceReport, type ProgressEvent } from "../../src/index.ts";
import { newSchema, otherProgram } from "../copy/both_sides.ts";
import { schemaErrorsOf } from "../support/report_schema.ts";
import { runProgram } from "../support/run_program.ts";

const [ID, AGENT] = ["erin-7f3a@example.org", "agent-7f3a"];

/** A schema with 9,000 interactions of two users, some old, with metadata, and uses of a pattern. */
async function filled(url: string): Promise<string> {
  const schema = newSchema();
  let now = new Date("2020-01-01T00:00:00Z");
  const metrics = new PostgresMetricsCollector(url, { schema, clock: () => now });
  const rows = Array.from({ length: 4500 }, (_, row) => ({
    user_id: row % 3 === 0 ? "kept" : ID,
    success: true,
    response_time_ms: row,
    ...(row % 9 === 1 ? { metadata: { row } } : {}),
  }));
  await metrics.recordMany(rows);
  now = new Date();
  await metrics.recordMany(rows);
  await metrics.close();
  const patterns = new PostgresPatternPersistence(url, { schema });
  const library = new PatternLibrary();
  library.contribute("owner", { id: "p", pattern_type: "t", name: "n" });
  for (const agent of [AGENT, "other", AGENT]) library.recordUsage("p", agent, true);
  await patterns.save(library);
  await patterns.close();
  return schema;
}

describeWithPostgres("perdura-migrate forget postgres://…", (postgres) => {
  const forget = async (...words: string[]): Promise<MaintenanceReport> => {
    const address = Object.assign(new URL(postgres.url), { password: "s3cret" }).href;
    const { stdout, stderr } = await runProgram("forget", "--json", ...words, address);
    expect(stdout + stderr).not.toContain("s3cret");
    const report = JSON.parse(stdout) as MaintenanceReport;
    expect(schemaErrorsOf("maintenance-report", report)).toEqual([]);
    return report;
  };

  test("counts first, then deletes a user, old interactions and the uses by an agent", async () => {
    const schema = await filled(postgres.url);
    const dry = await forget("--user", ID, "--dry-run", "--schema", schema);
    const counted = { layout: "postgresql-16", bytes: null, interactions: 6000, metadata: 1000 };
    expect(dry).toMatchObject({ dry_run: true, exit_code: 0, databases: [{ status: "planned", ...counted }] });
    expect(await runProgram("forget", "--user", ID, "--schema", schema, postgres.url)).toMatchObject({ code: 3 });
    expect(await forget("--user", "kept", "--older-than", "90d", "--yes", "--schema", schema)).toMatchObject({
      databases: [{ status: "done", interactions: 1500, metadata: 0 }],
    });
    expect(await forget("--user", ID, "--yes", "--erase", "--schema", schema)).toMatchObject({
      exit_code: 0,
      erase: true,
      databases: [{ status: "done", ...counted }],
    });
    expect(await forget("--agent", AGENT, "--yes", "--schema", schema)).toMatchObject({
      databases: [{ status: "done", usage_rows: 2 }],
    });
    const metrics = new PostgresMetricsCollector(postgres.url, { schema });
    expect(await metrics.getGlobalStats()).toMatchObject({ total_users: 1, total_interactions: 1500 });
    await metrics.close();
    expect(await forget("--user", ID, "--yes", "--schema", schema)).toMatchObject({
      databases: [{ status: "nothing_to_do" }],
    });
  });

  test("deletes metadata without an interaction", async () => {
    const schema = await filled(postgres.url);
    const other = await otherProgram(postgres.url, schema);
    await other.query(`SET session_replication_role = replica;
      INSERT INTO interaction_metadata (interaction_id, metadata) SELECT 100000 + n, '{}' FROM generate_series(1, 3) AS n;
      RESET session_replication_role`);
    const [dry, done, later] = [
      await forget("--orphans", "--dry-run", "--schema", schema),
      await forget("--orphans", "--yes", "--schema", schema),
      await forget("--orphans", "--yes", "--schema", schema),
    ].map(({ databases: [found] }) => [found?.status, found?.interactions, found?.metadata]);
    expect({ dry, done, later }).toEqual({
      dry: ["planned", 0, 3],
      done: ["done", 0, 3],
      later: ["nothing_to_do", 0, 0],
    });
  });

  test("stops between two transactions, and the next call deletes the rest", async () => {
    const schema = await filled(postgres.url);
    const seen: ProgressEvent[] = [];
    const stop = new AbortController();
    const onProgress = (event: ProgressEvent): void => {
      if (event.done === null) return;
      seen.push(event);
      stop.abort();
    };
    const stopped = await forgetData(postgres.url, { userId: ID, schema, onProgress, signal: stop.signal });
    expect(stopped).toMatchObject({ exit_code: 130, databases: [{ status: "interrupted", interactions: 4000 }] });
    expect(seen).toMatchObject([{ stage: "forget", done: 4000, total: 6000, unit: "rows" }]);
    expect(await forgetData(postgres.url, { userId: ID, schema })).toMatchObject({
      exit_code: 0,
      databases: [{ status: "done", interactions: 2000 }],
    });
  });

  test("fails for a schema without tables, and refuses options and targets of files", async () => {
    const missing = await runProgram("forget", "--user", ID, "--yes", "--schema", newSchema(), postgres.url);
    expect(missing).toMatchObject({ code: 1, stdout: expect.stringContaining("has no tables of perdura") });
    for (const words of [
      ["--backup-dir", "/tmp", postgres.url],
      ["--states", "/tmp", postgres.url],
      [".", postgres.url],
    ])
      expect(await runProgram("forget", "--user", ID, "--yes", ...words)).toMatchObject({ code: 2 });
    await expect(forgetData(".", { userId: ID, schema: "s" })).rejects.toMatchObject({ argument: "schema" });
  });
});
