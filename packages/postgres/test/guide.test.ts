import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { dropTestObject, testName } from "@perdura/test-servers/postgres/test_objects.js";
import { PatternLibrary } from "@perdura/v16";
import pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { refreshedGuide } from "../../../dev/tools/guide_pages.ts";
import { PATIENCE_MS } from "../../../test/patience.ts";
import { metricsIn, patternsIn } from "./elements.ts";

const GUIDE = new URL("../../../docs/guides/postgresql.md", import.meta.url);
const page = readFileSync(GUIDE, "utf8");
const ADDRESS = "postgres://localhost/agents";

const OPTIONS = { schema: "perdura", createSchema: false };

type Role = "agents_owner" | "agents_program" | "agents_tenant";

/** The blocks of SQL, in the order of the page. */
const [roles, record, replace, deletion, fold, keys, policies, erasing, watch] = [
  ...page.matchAll(/^```sql\n(.*?)^```$/gms),
].map(([, text]) => text as string) as [string, string, string, string, string, string, string, string, string];

describeWithPostgres("the roles of the guide to PostgreSQL", (postgres) => {
  test("include a role that may only record, and the rights that other operations need", async () => {
    const admin = new pg.Client({ connectionString: postgres.url });
    await admin.connect();
    // A developer's server may have roles with the page's names.
    const names = { agents_owner: testName(), agents_program: testName(), agents_tenant: testName() };
    onTestFinished(async () => {
      for (const role of [names.agents_tenant, names.agents_program, names.agents_owner])
        await dropTestObject(admin, "ROLE", role);
      await admin.end();
    });
    const here = (sql: string): string =>
      sql.replaceAll(/agents_(?:owner|program|tenant)/g, (name) => names[name as Role]);
    const as = (role: Role): string => Object.assign(new URL(postgres.url), { username: names[role] }).href;
    await admin.query(here(roles));
    expect(await metricsIn(as("agents_owner"), OPTIONS).getAllUsers()).toEqual([]);
    await admin.query(here(record));

    const metrics = metricsIn(as("agents_program"), OPTIONS);
    await metrics.recordMetric("alice", true, 1, { tool: "search" });
    await metrics.recordMany([{ user_id: "bob", level: 3, success: false, response_time_ms: 2, metadata: { a: 1 } }]);
    await metrics.writer().recordMetric("bob", true, 3);
    const many = Array.from({ length: 2500 }, () => ({ user_id: "carol", success: true, response_time_ms: 1 }));
    await metrics.recordMany(many);
    expect(await metrics.getUserStats("bob")).toMatchObject({ total_operations: 2, current_level: 3 });
    expect(await metrics.getGlobalStats()).toMatchObject({ total_users: 3, total_interactions: 2503 });
    const patterns = patternsIn(as("agents_program"), OPTIONS);
    const library = new PatternLibrary();
    library.contribute("a", { id: "p", pattern_type: "t", name: "n" });
    library.recordUsage("p", "a", true);
    await patterns.save(library);
    await patterns.save(library);
    expect((await patterns.load()).size).toBe(1);

    const program = new pg.Client({ connectionString: as("agents_program") });
    await program.connect();
    onTestFinished(() => program.end());
    for (const change of ["DELETE FROM perdura.interactions", "UPDATE perdura.interactions SET level = 1"])
      await expect(program.query(change)).rejects.toThrow(/permission denied/);
    await expect(patterns.save(new PatternLibrary(), { mode: "replace" })).rejects.toThrow(/permission denied/);
    await admin.query(here(replace));
    await patterns.save(library, { mode: "replace" });
    library.contribute("a", { id: "q", pattern_type: "t", name: "n" });
    library.remove("p");
    library.contribute("a", { id: "p", pattern_type: "t", name: "n" });
    await patterns.save(library, { mode: "replace" });
    expect([...(await patterns.load()).patterns.keys()]).toEqual(["q", "p"]);

    const [unfolded = ""] = watch.split(";");
    const added = async (): Promise<number> =>
      Number((await program.query<{ count: string }>(unfolded)).rows[0]?.count);
    expect(await added()).toBe(2503);
    await admin.query(here(fold));
    // The other collector was refused, and tries again after a minute.
    const folding = metricsIn(as("agents_program"), OPTIONS);
    // Once no transaction of other tests is older.
    await vi.waitUntil(async () => {
      await folding.getGlobalStats();
      return (await added()) < 2503;
    }, PATIENCE_MS);
    await admin.query(here(watch));

    const breakdown = { keys: ["tool"] };
    await expect(metricsIn(as("agents_program"), { ...OPTIONS, breakdown }).getAllUsers()).rejects.toThrow(
      "may not declare keys of metadata",
    );
    await metricsIn(as("agents_owner"), { ...OPTIONS, breakdown }).getAllUsers();
    await admin.query(here(keys));
    expect(await metricsIn(as("agents_program"), { ...OPTIONS, breakdown }).getBreakdown("tool")).toHaveLength(2);

    await expect(metrics.forgetUser("carol")).rejects.toMatchObject({ code: "PERDURA_STORAGE" });
    await admin.query(here(deletion));
    expect(await metrics.forgetUser("carol")).toEqual({ interactions: 2500, metadata: 0 });
    const owner = new pg.Client({ connectionString: as("agents_owner") });
    await owner.connect();
    onTestFinished(() => owner.end());
    for (const command of erasing.trim().split("\n")) await owner.query(command);

    await admin.query(here(policies));
    const given = `${as("agents_tenant")}?options=-c%20app.user_id%3Dbob`;
    const tenant = metricsIn(given, OPTIONS);
    await tenant.recordMetric("bob", true, 1, { tool: "search" });
    await expect(tenant.recordMetric("carol", true, 1)).rejects.toThrow(/row-level security/);
    expect(await tenant.getAllUsers()).toEqual(["bob"]);
    expect(await tenant.getGlobalStats()).toMatchObject({ total_users: 1, total_interactions: 3 });
    const client = new pg.Client({ connectionString: given });
    await client.connect();
    onTestFinished(() => client.end());
    expect((await client.query("SELECT count(*)::int AS rows FROM perdura.interaction_metadata")).rows).toEqual([
      { rows: 2 },
    ]);
    await expect(client.query("SELECT * FROM perdura.perdura_user_rollup")).rejects.toThrow(/permission denied/);
  });
});

describeWithPostgres("the commands of the guide to PostgreSQL", (postgres) => {
  test("print the output that it shows", async () => {
    const address = Object.assign(new URL(postgres.url), { search: "" }).href;
    const admin = new pg.Client({ connectionString: address });
    await admin.connect();
    await admin.query("CREATE SCHEMA perdura");
    await admin.end();
    const shown = refreshedGuide(page.replaceAll(ADDRESS, address)).replaceAll(address, ADDRESS);
    // `pnpm vitest run packages/postgres/test/guide --update` puts the output into the page.
    await expect(shown).toMatchFileSnapshot(fileURLToPath(GUIDE));
  });
});
