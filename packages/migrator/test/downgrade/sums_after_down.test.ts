import { MetricsCollector as Collector15 } from "@perdura/v15";
import { MetricsCollector } from "@perdura/v16";
import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { connect, DOCUMENTED_15, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

/** The sums are valid for the present schema. */
const isValid = (path: string): unknown =>
  query(path, "SELECT schema_version = (SELECT * FROM pragma_schema_version) FROM perdura_rollup").flat()[0];

test.each([
  ["metadata were recorded since", { tool: "search" }],
  ["no metadata were recorded since", undefined],
])("sums that up made stay valid in 16, after down, and in the 15 line, if %s", async (_, metadata) => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, DOCUMENTED_15);
  const program = connect(path);
  program.exec(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 6000)
     INSERT INTO interactions (user_id, empathy_level, success) SELECT 'u' || (n % 7), 1, 1 FROM numbers`,
  );
  program.close();
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  expect(isValid(path)).toBe(1n);
  const collector = new MetricsCollector(path);
  collector.recordMetric("u1", false, 5, metadata);
  expect(collector.getGlobalStats().total_interactions).toBe(6001);
  collector.close();
  expect(isValid(path)).toBe(1n);
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(isValid(path)).toBe(1n);
  const older = new Collector15(path);
  expect(older.getGlobalStats().total_interactions).toBe(6001);
  older.recordMetric("u1", 2, true, 5, { tool: "search" });
  expect(older.getBreakdown("tool").length).toBe(2);
  older.close();
  expect(isValid(path)).toBe(1n);
});
