import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { dropTestObject } from "@perdura/test-servers/postgres/test_objects.js";
import { PatternLibrary } from "@perdura/v16";
import fc from "fast-check";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { newDatabase } from "@perdura/test-servers/postgres/database.js";
import { PostgresMetricsCollector, PostgresPatternPersistence } from "../src/index.ts";
import { LAYOUT, ON_CITUS } from "./layouts.ts";
import { join } from "node:path";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { databaseOfRoles } from "./roles.ts";
import { runs } from "./runs.ts";

/** Session settings that could change what is stored, read or refused. */
const UNUSUAL: Record<string, string> = {
  array_nulls: "off",
  bytea_output: "escape",
  check_function_bodies: "off",
  client_min_messages: "error",
  constraint_exclusion: "on",
  cursor_tuple_fraction: "0.01",
  datestyle: "SQL, DMY",
  default_transaction_deferrable: "on",
  default_transaction_isolation: "serializable",
  enable_indexscan: "off",
  enable_partition_pruning: "off",
  escape_string_warning: "off",
  extra_float_digits: "-15",
  from_collapse_limit: "1",
  intervalstyle: "sql_standard",
  jit: "on",
  jit_above_cost: "0",
  lc_monetary: "C",
  lc_numeric: "C",
  plan_cache_mode: "force_generic_plan",
  quote_all_identifiers: "on",
  row_security: "off",
  search_path: "unusual, pg_catalog",
  // Citus itself writes texts for its workers.
  ...(ON_CITUS ? {} : { backslash_quote: "off", standard_conforming_strings: "off" }),
  statement_timeout: "60s",
  synchronize_seqscans: "off",
  timezone: "Asia/Kathmandu",
  transform_null_equals: "on",
  work_mem: "64kB",
  xmlbinary: "hex",
  "plpgsql.extra_errors": "all",
  "plpgsql.variable_conflict": "use_variable",
};

/** Further values, which only show if each setting is tried alone: `check_function_bodies` switches other checks off. */
const ALONE: readonly (readonly [name: string, value: string])[] = [
  ...Object.entries(UNUSUAL).filter(([name]) => name !== "search_path"),
  ["plpgsql.extra_errors", "shadowed_variables"],
  ["plpgsql.extra_errors", "too_many_rows"],
  ["plpgsql.extra_errors", "strict_multi_assignment"],
  ["plpgsql.extra_warnings", "all"],
  ["plpgsql.variable_conflict", "error"],
  ["plpgsql.variable_conflict", "use_column"],
  ["plpgsql.check_asserts", "off"],
  ["check_function_bodies", "on"],
  ["client_min_messages", "debug5"],
  ["default_transaction_isolation", "repeatable read"],
  ["default_tablespace", "pg_default"],
  ["enable_seqscan", "off"],
  ["enable_hashagg", "off"],
  ["geqo_threshold", "2"],
  ["idle_in_transaction_session_timeout", "60s"],
  ["lock_timeout", "60s"],
  ["max_parallel_workers_per_gather", "8"],
  ["parallel_setup_cost", "0"],
  ["plan_cache_mode", "force_custom_plan"],
  ["search_path", ""],
  ["session_replication_role", "replica"],
  ["synchronous_commit", "off"],
  ["temp_file_limit", "1MB"],
];

/** Functions that replace PostgreSQL's through the search path. */
const IMPOSTORS = `CREATE SCHEMA unusual; GRANT USAGE ON SCHEMA unusual TO PUBLIC;
  CREATE FUNCTION unusual.greatest_of(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint';
  CREATE FUNCTION unusual.to_char(timestamp, text) RETURNS text LANGUAGE sql AS $$ SELECT 'never'::text $$;
  CREATE FUNCTION unusual.pg_current_xact_id() RETURNS xid8 LANGUAGE sql AS $$ SELECT '5'::xid8 $$`;

/** A cluster creates tables slowly, and applies most of its own settings in the functions' bodies, not in their text. */
const TRIED = ON_CITUS ? ALONE.filter(([name]) => /^(?:plpgsql\.|check_function_bodies)/.test(name)) : ALONE;
const SETTING = fc.constantFrom(...TRIED);

describeWithPostgres("settings of a role", (postgres) => {
  test("do not affect tables, records and answers, each alone and in pairs", async () => {
    const { admin, owner, as } = await databaseOfRoles(postgres.serverUrl, 0);
    /** Creates a schema with these settings, records into it, and asks. */
    const use = async (settings: readonly (readonly [name: string, value: string])[]): Promise<void> => {
      const shown = JSON.stringify(settings);
      await admin.query(`ALTER ROLE ${owner} RESET ALL`);
      for (const [name, value] of settings) await admin.query(`ALTER ROLE ${owner} SET ${name} = '${value}'`);
      const metrics = new PostgresMetricsCollector(as(owner), { schema: "own", ...LAYOUT });
      const patterns = new PostgresPatternPersistence(as(owner), { schema: "own", ...LAYOUT });
      try {
        await metrics.recordInteraction("u", 3, true, 1.5);
        await metrics.recordMetric("u", false, 2.5, { a: "\\" }, { idempotencyKey: "k" });
        await metrics.recordMany([
          { user_id: "v", level: 1, success: true, response_time_ms: 1, metadata: { b: null } },
          { user_id: "u", success: true, response_time_ms: 2 },
        ]);
        expect(await metrics.getUserStats("u"), shown).toMatchObject({
          total_operations: 3,
          level_3_count: 3,
          current_level: 3,
          avg_response_time_ms: 2,
        });
        await admin.query("UPDATE own.interactions SET timestamp = '2024-02-29T10:00:00.5+01:00' WHERE user_id = 'v'");
        expect(await metrics.getAllUsers(), shown).toEqual(["u", "v"]);
        expect(await metrics.getGlobalStats(), shown).toEqual({
          total_users: 2,
          total_interactions: 4,
          success_rate: 0.75,
        });
        expect(await metrics.getUserTrend("v", { bucket: "month" }), shown).toMatchObject([
          { period: "2024-02-01", total_operations: 1, trust: 0.55 },
        ]);
        expect((await metrics.getGlobalTrend({ bucket: "week" }))[0], shown).toMatchObject({ period: "2024-02-26" });
        expect(await metrics.exportMetrics(join(freshFolder(), "all.json")), shown).toBe(4);
        expect(await metrics.recount(), shown).toEqual({ users: 2, wrongUsers: [], wrongTotals: false });
        const library = new PatternLibrary();
        library.contribute("a", {
          id: "p\\1",
          pattern_type: "t",
          name: "n",
          tags: ["NULL"],
          confidence: 0.1234567890123456,
        });
        library.recordUsage("p\\1", "a", true);
        await patterns.save(library);
        expect([...(await patterns.load()).patterns.values()], shown).toEqual([...library.patterns.values()]);
      } catch (error) {
        throw Object.assign(new Error(`${shown}: ${(error as Error).message}`), { cause: error });
      } finally {
        await metrics.close();
        await patterns.close();
        await dropTestObject(admin, "SCHEMA", "own");
      }
    };
    for (const setting of TRIED) await use([setting]);
    await fc.assert(
      fc.asyncProperty(SETTING, SETTING, async (one, other) => use([one, other])),
      { numRuns: runs(20) },
    );
  });

  test("do not affect stored and loaded values", async () => {
    const database = await newDatabase(postgres.serverUrl);
    onTestFinished(() => database.drop());
    const admin = new pg.Client(database.url);
    await admin.connect();
    onTestFinished(() => admin.end());
    const role = `${database.name}_role`;
    onTestFinished(() => dropTestObject(admin, "ROLE", role));
    await admin.query(`${IMPOSTORS}; CREATE ROLE ${role} LOGIN; GRANT CREATE ON DATABASE ${database.name} TO ${role}`);
    for (const [name, value] of Object.entries(UNUSUAL))
      await admin.query(`ALTER ROLE ${role} SET ${name} = ${name === "search_path" ? value : `'${value}'`}`);
    const url = new URL(database.url);
    url.username = role;
    const given = new pg.Pool({ connectionString: url.href });
    onTestFinished(() => given.end());
    const library = new PatternLibrary();
    library.contribute("a\\'b", { id: "p\\1", pattern_type: "NULL", name: 'q"\\', tags: ["NULL", "\\n"] });
    library.contribute("a", { id: "p2", pattern_type: "t", name: "n", confidence: 0.1234567890123456, code: "" });
    library.recordUsage("p2", "a", true);
    for (const [schema, place] of [
      ["own\\schema", url.href],
      ["given", given],
    ] as const) {
      const patterns = new PostgresPatternPersistence(place, { schema, ...LAYOUT });
      onTestFinished(() => patterns.close());
      await patterns.save(library);
      const loaded = await patterns.load();
      expect([...loaded.patterns.values()]).toEqual([...library.patterns.values()]);
      const metrics = new PostgresMetricsCollector(place, { schema, ...(ON_CITUS ? LAYOUT : { partitions: 2 }) });
      onTestFinished(() => metrics.close());
    }
    for (const [schema, place] of [
      ["own\\metrics", url.href],
      ["given_metrics", given],
    ] as const) {
      const metrics = new PostgresMetricsCollector(place, { schema, ...(ON_CITUS ? LAYOUT : { partitions: 2 }) });
      onTestFinished(() => metrics.close());
      await metrics.recordInteraction("u\\", 3, true, 0.1234567890123456);
      await metrics.recordMany([
        { user_id: "NULL", success: true, response_time_ms: 1e-5 },
        { user_id: "u\\", success: false, response_time_ms: 3, metadata: { a: "\\" } },
      ]);
      await metrics.recordMetric("u\\", true, 1, { b: null }, { idempotencyKey: "\\k" });
      await Promise.all(Array.from({ length: 20 }, () => metrics.recordMetric("u\\", true, 1)));
      expect(await metrics.getAllUsers()).toEqual(["NULL", "u\\"]);
      const stats = await metrics.getUserStats("u\\");
      expect(stats).toMatchObject({ total_operations: 23, level_3_count: 23, current_level: 3 });
      expect(stats.last_use).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
      expect(Math.abs(Date.parse(`${stats.last_use?.replace(" ", "T")}Z`) - Date.now())).toBeLessThan(3_600_000);
      expect(await metrics.recount()).toEqual({ users: 2, wrongUsers: [], wrongTotals: false });
      expect((await metrics.getUserStats("NULL")).avg_response_time_ms).toBe(1e-5);
      const { rows } = await admin.query(
        `SELECT count(*)::int AS rows, max(metadata::text) AS last FROM ${pg.escapeIdentifier(schema)}.interaction_metadata`,
      );
      expect(rows).toEqual([{ rows: 2, last: '{"b":null}' }]);
    }
  });
});
