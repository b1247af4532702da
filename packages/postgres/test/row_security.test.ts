import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { PostgresMetricsCollector } from "../src/index.ts";
import { PostgresTables } from "../src/tables.ts";
import { countedRows, withoutMean } from "./counted_rows.ts";
import { expectTrends, trendsOfCollector } from "./counted_trends.ts";
import { otherProgram } from "./elements.ts";
import { databaseOfRoles, type DatabaseOfRoles } from "./roles.ts";
import { LAYOUT, ON_CITUS } from "./layouts.ts";

const SCHEMA = "perdura";
const USERS = ["a0", "a1", "a2"];
/** Enough rows that a question folds them. */
const MANY = 3000;

const records = (rows: number) =>
  Array.from({ length: rows }, (_, row) => ({
    user_id: USERS[row % USERS.length] as string,
    level: 1 + (row % 5),
    success: row % 2 === 0,
    response_time_ms: row,
  }));

function collectorOf(url: string): PostgresMetricsCollector {
  const metrics = new PostgresMetricsCollector(url, { schema: SCHEMA, ...LAYOUT });
  onTestFinished(() => metrics.close());
  return metrics;
}

function tablesOf(url: string): PostgresTables {
  const tables = new PostgresTables(url, { schema: SCHEMA });
  onTestFinished(() => tables.close());
  return tables;
}

/** Compares every answer with that of plain SQL of the same role, before and after a fold, if the role folds. */
async function expectAnswersOf(url: string): Promise<readonly string[]> {
  const [metrics, tables, plain] = [collectorOf(url), tablesOf(url), otherProgram(url, SCHEMA)];
  for (let time = 0; time < 2; time += 1) {
    const counted = await countedRows(plain);
    expect(await metrics.getGlobalStats()).toEqual(counted.global);
    expect(await metrics.getAllUsers()).toEqual(counted.users);
    for (const user of USERS)
      expect(withoutMean(await metrics.getUserStats(user))).toEqual(withoutMean(counted.user(user)));
    await expectTrends(trendsOfCollector(metrics), plain, USERS);
    expect(await metrics.getGlobalStats({ since: "2000-01-01" })).toEqual(counted.global);
    const operations = (await metrics.getBreakdown("tool")).map(({ total_operations }) => total_operations);
    expect(operations).toEqual(counted.users.length === 0 ? [] : [counted.global.total_interactions]);
    let listed = 0;
    for await (const row of metrics.listInteractions()) listed += row.user_id === undefined ? 0 : 1;
    expect(listed).toBe(counted.global.total_interactions);
    await tables.read(async ({ metrics: stored }) => {
      expect((await stored?.overview())?.operations ?? 0).toBe(counted.global.total_interactions);
      expect(((await stored?.topUsers(10)) ?? []).map(({ user_id }) => user_id).toSorted()).toEqual(counted.users);
    });
    const file = join(freshFolder(), "rows.jsonl");
    expect(await metrics.exportMetrics(file)).toBe(counted.global.total_interactions);
    const users = new Set(
      readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .flatMap((line) => (JSON.parse(line) as { user_id?: string }).user_id ?? []),
    );
    expect([...users].toSorted()).toEqual(counted.users);
  }
  return (await countedRows(plain)).users;
}

/** SQL for the state of the sums. */
const FOLDED = ON_CITUS
  ? `SELECT shardid, CASE WHEN success THEN result END AS state FROM run_command_on_shards('perdura.interactions',
      $$SELECT query_to_xml('SELECT watermark, operations FROM ' || replace('%s', '.interactions_', '.perdura_rollup_'), true, true, '')$$) ORDER BY 1`
  : "SELECT watermark, operations::int, users::int FROM perdura.perdura_rollup";

async function restricted(serverUrl: string): Promise<DatabaseOfRoles & { role: string }> {
  const roles = await databaseOfRoles(serverUrl, 1);
  const [role = ""] = roles.others;
  await collectorOf(roles.as(roles.owner)).recordMany(records(3));
  await roles.change(`GRANT USAGE ON SCHEMA perdura TO ${role};
    GRANT SELECT ON perdura.perdura_meta, perdura.patterns TO ${role};
    GRANT SELECT, INSERT, UPDATE, DELETE ON perdura.interactions, perdura.interaction_metadata TO ${role};
    ALTER TABLE perdura.interactions ENABLE ROW LEVEL SECURITY`);
  return { ...roles, role };
}

describeWithPostgres("row-level security", (postgres) => {
  test("hides rows from every answer, and a role under a policy does not fold", async () => {
    const { admin, change, role, owner, as } = await restricted(postgres.serverUrl);
    const all = "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA perdura";
    await change(`CREATE POLICY own ON perdura.interactions TO ${role} USING (user_id = 'a1') WITH CHECK (true)`);
    // With and without the privileges of a role that folds.
    for (const grant of ["SELECT 1", `GRANT ${all} TO ${role}`]) {
      await change(grant);
      await collectorOf(as(owner)).recordMany(records(MANY));
      const { rows: before } = await admin.query(FOLDED);
      expect(await expectAnswersOf(as(role))).toEqual(["a1"]);
      expect((await admin.query(FOLDED)).rows).toEqual(before);
      expect(await expectAnswersOf(as(owner))).toEqual(USERS);
      expect((await admin.query(FOLDED)).rows).not.toEqual(before);
      expect(await expectAnswersOf(as(role))).toEqual(["a1"]);
    }
    expect(await collectorOf(as(owner)).recount()).toEqual({ users: 3, wrongUsers: [], wrongTotals: false });
  });

  // Citus 13.2.2 makes a permissive policy of a restrictive one on the workers; only the coordinator obeys the constant.
  const [restriction, seen] = ON_CITUS ? ["false", []] : ["user_id <> 'a1' AND level > 2", ["a0", "a2"]];
  test("hides rows by restrictive policies", async () => {
    const { change, role, owner, as } = await restricted(postgres.serverUrl);
    await change(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA perdura TO ${role};
      CREATE POLICY any_row ON perdura.interactions TO ${role} USING (true);
      CREATE POLICY higher ON perdura.interactions AS RESTRICTIVE TO ${role} USING (${restriction})`);
    await collectorOf(as(owner)).recordMany(records(MANY));
    expect(await expectAnswersOf(as(owner))).toEqual(USERS);
    expect(await expectAnswersOf(as(role))).toEqual(seen);
  });

  test("answers nothing by default, and hides rows from the owner only by FORCE", async () => {
    const { admin, change, role, owner, as, url } = await restricted(postgres.serverUrl);
    expect(await expectAnswersOf(as(role))).toEqual([]);
    expect(await expectAnswersOf(as(owner))).toEqual(USERS);
    await change(`ALTER TABLE perdura.interactions FORCE ROW LEVEL SECURITY;
      CREATE POLICY own ON perdura.interactions TO ${owner} USING (user_id <> 'a0') WITH CHECK (true)`);
    // The owner could not read what it returns for a row that the policy hides.
    await collectorOf(url).recordMany(records(MANY));
    const { rows: before } = await admin.query(FOLDED);
    expect(await expectAnswersOf(as(owner))).toEqual(["a1", "a2"]);
    // Invalid sums are not reset either.
    if (!ON_CITUS) await change("ALTER TABLE perdura.interactions DISABLE TRIGGER USER");
    expect(await expectAnswersOf(as(owner))).toEqual(["a1", "a2"]);
    expect((await admin.query(FOLDED)).rows).toEqual(before);
    expect(await expectAnswersOf(url)).toEqual(USERS);
    expect((await admin.query(FOLDED)).rows).not.toEqual(before);
  });

  test("lets a role change its rows without privileges for the sums, which notice it", async () => {
    const { change, role, owner, as } = await restricted(postgres.serverUrl);
    await change(`CREATE POLICY own ON perdura.interactions TO ${role} USING (user_id IN ('a1', 'a2'))`);
    await collectorOf(as(owner)).recordMany(records(MANY));
    await expectAnswersOf(as(owner));
    await collectorOf(as(role)).recordInteraction("a1", 5, true, 1);
    await expect(collectorOf(as(role)).recordInteraction("a0", 5, true, 1)).rejects.toMatchObject({
      code: "PERDURA_STORAGE",
      message: expect.stringMatching(/row-level security.* Nothing was written\./) as string,
    });
    const plain = otherProgram(as(role), SCHEMA);
    // Citus refuses to change the user of a row.
    const changed = ON_CITUS ? "success = NOT success" : "user_id = 'a2'";
    await plain.query(`UPDATE interactions SET ${changed} WHERE level = 5`);
    await plain.query("DELETE FROM interactions WHERE level = 1");
    expect(await expectAnswersOf(as(role))).toEqual(["a1", "a2"]);
    expect(await expectAnswersOf(as(owner))).toEqual(USERS);
    expect(await collectorOf(as(owner)).recount()).toMatchObject({ wrongUsers: [], wrongTotals: false });
  });

  test("limits what a role deletes to the rows that it may see and delete", async () => {
    const { change, role, owner, as } = await restricted(postgres.serverUrl);
    await change(`CREATE POLICY seen ON perdura.interactions FOR SELECT TO ${role} USING (user_id <> 'a0');
      CREATE POLICY deleted ON perdura.interactions FOR DELETE TO ${role} USING (user_id <> 'a2')`);
    await collectorOf(as(owner)).recordMany(records(3 * MANY));
    await expectAnswersOf(as(owner));
    const metrics = collectorOf(as(role));
    for (const user of ["a0", "a2"]) expect(await metrics.forgetUser(user)).toEqual({ interactions: 0, metadata: 0 });
    expect(await metrics.deleteBefore("9999-01-01")).toEqual({ interactions: MANY + 1, metadata: 0 });
    expect(await expectAnswersOf(as(role))).toEqual(["a2"]);
    expect(await expectAnswersOf(as(owner))).toEqual(["a0", "a2"]);
    expect(await collectorOf(as(owner)).recount()).toMatchObject({ wrongUsers: [], wrongTotals: false });
  });

  test("makes a comparison, a correction and a copy of all rows fail", async () => {
    const { admin, change, role, as } = await restricted(postgres.serverUrl);
    await change(`CREATE POLICY own ON perdura.interactions TO ${role} USING (user_id = 'a1');
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA perdura TO ${role}`);
    const { rows: before } = await admin.query(FOLDED);
    const hidden = { code: "PERDURA_STORAGE", message: expect.stringMatching(/row-level security/) as string };
    await expect(collectorOf(as(role)).recount()).rejects.toMatchObject(hidden);
    const tables = tablesOf(as(role));
    await expect(tables.compareSums()).rejects.toMatchObject(hidden);
    const client = await tables.connect();
    await tables.begin(client, "read");
    const code = "42501";
    await expect(client.query("SELECT * FROM perdura.interactions")).rejects.toMatchObject({ code });
    client.release();
    expect((await admin.query(FOLDED)).rows).toEqual(before);
  });

  test("of the internal tables is named, or leaves the answers right", async () => {
    const { change, role, owner, as } = await restricted(postgres.serverUrl);
    await collectorOf(as(owner)).recordMany(records(MANY));
    await change("ALTER TABLE perdura.interactions DISABLE ROW LEVEL SECURITY");
    await expectAnswersOf(as(owner));
    await change(`GRANT SELECT ON ALL TABLES IN SCHEMA perdura TO ${role}`);
    for (const table of ["rollup", "user_rollup", "user_days", "days", "stale_users"]) {
      await change(`ALTER TABLE perdura.perdura_${table} ENABLE ROW LEVEL SECURITY`);
      expect(await expectAnswersOf(as(role)), table).toEqual(USERS);
      await change(`ALTER TABLE perdura.perdura_${table} DISABLE ROW LEVEL SECURITY`);
    }
    await change("ALTER TABLE perdura.perdura_meta ENABLE ROW LEVEL SECURITY");
    const failure = collectorOf(as(role)).getGlobalStats();
    await expect(failure).rejects.toMatchObject({ code: "PERDURA_STORAGE" });
    const { message } = (await failure.catch((error: unknown) => error)) as Error;
    await change(/with: (CREATE POLICY .*?)\. Nothing/.exec(message)?.[1] ?? "SELECT no command");
    expect(await expectAnswersOf(as(role))).toEqual(USERS);
  });

  test("applies in views with security_invoker, and in views of questions", async (context) => {
    const { admin, change, role, as } = await restricted(postgres.serverUrl);
    const version = "SELECT current_setting('server_version_num')::int AS version";
    const { rows } = await admin.query<{ version: number }>(version);
    if ((rows[0]?.version ?? 0) < 150_000) context.skip("security_invoker exists from PostgreSQL 15 on");
    await change(`CREATE POLICY own ON perdura.interactions TO ${role} USING (user_id = 'a1');
      CREATE VIEW perdura.mine WITH (security_invoker = true) AS SELECT * FROM perdura.interactions;
      CREATE VIEW perdura.totals AS SELECT * FROM perdura.perdura_global_sums();
      GRANT SELECT ON perdura.mine, perdura.totals TO ${role}`);
    const client = new pg.Client({ connectionString: as(role) });
    await client.connect();
    onTestFinished(() => client.end());
    const answer = "SELECT (SELECT count(*)::int FROM perdura.mine) AS mine, operations::int FROM perdura.totals";
    expect((await client.query(answer)).rows).toEqual([{ mine: 1, operations: 1 }]);
  });
});
