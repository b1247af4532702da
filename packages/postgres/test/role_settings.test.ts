import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { dropTestObject } from "@perdura/test-servers/postgres/test_objects.js";
import { PatternLibrary } from "@perdura/v16";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { newDatabase } from "@perdura/test-servers/postgres/database.js";
import { PostgresMetricsCollector, PostgresPatternPersistence } from "../src/index.ts";
import { LAYOUT, ON_CITUS } from "./layouts.ts";

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

/** Functions that replace PostgreSQL's through the search path. */
const IMPOSTORS = `CREATE SCHEMA unusual; GRANT USAGE ON SCHEMA unusual TO PUBLIC;
  CREATE FUNCTION unusual.greatest_of(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint';
  CREATE FUNCTION unusual.to_char(timestamp, text) RETURNS text LANGUAGE sql AS $$ SELECT 'never'::text $$;
  CREATE FUNCTION unusual.pg_current_xact_id() RETURNS xid8 LANGUAGE sql AS $$ SELECT '5'::xid8 $$`;

describeWithPostgres("settings of a role", (postgres) => {
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
