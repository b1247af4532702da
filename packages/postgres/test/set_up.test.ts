import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { dropTestObject, testName } from "@perdura/test-servers/postgres/test_objects.js";
import { PatternLibrary } from "@perdura/v16";
import { expect, onTestFinished, test } from "vitest";
import type { PostgresMetricsCollector } from "../src/index.ts";
import { PostgresTables } from "../src/tables.ts";
import { countedRows } from "./counted_rows.ts";
import { metricsIn, newSchema, otherProgram, patternsIn } from "./elements.ts";
import { ON_CITUS } from "./layouts.ts";
import { needs } from "../../../test/needs.ts";

describeWithPostgres("the tables", (postgres) => {
  test("are created once by 32 concurrent programs", async () => {
    const schema = newSchema();
    const collectors = Array.from({ length: 32 }, () => metricsIn(postgres.url, { schema }));
    const ids = await Promise.all(
      collectors.map((metrics, index) => metrics.recordInteraction(`u${index}`, 1, true, 1)),
    );
    expect(ids.toSorted((left, right) => left - right)).toEqual(collectors.map((_, index) => index + 1));
    await Promise.all(collectors.map((metrics) => metrics.close()));
  });

  test("are created in an existing schema by a role that may not create schemas", async () => {
    const schema = newSchema();
    const admin = otherProgram(postgres.url, schema);
    const role = testName();
    onTestFinished(() => dropTestObject(admin, "ROLE", role));
    const quoted = `"${schema.replaceAll('"', '""')}"`;
    await admin.query(
      `CREATE ROLE ${role} LOGIN; CREATE SCHEMA ${quoted}; GRANT CREATE, USAGE ON SCHEMA ${quoted} TO ${role}`,
    );
    const url = new URL(postgres.url);
    url.username = role;
    for (const createSchema of [true, false]) {
      const metrics = metricsIn(url.href, { schema, createSchema });
      await metrics.recordInteraction("a", 1, true, 1);
      expect(await metrics.getAllUsers()).toEqual(["a"]);
    }
    const elsewhere = metricsIn(url.href, { schema: newSchema() });
    await expect(elsewhere.recordInteraction("a", 1, true, 1)).rejects.toThrow(
      /the role may not create the schema unusual "name" .*permission denied.*Nothing was changed/,
    );
    await dropTestObject(admin, "SCHEMA", schema);
    await admin.query(`CREATE SCHEMA ${quoted}`);
    await expect(metricsIn(url.href, { schema }).getAllUsers()).rejects.toThrow(/permission denied/);
  });

  test.for([
    ["with a newer version", "2", /has version 2 of the tables; this program supports version 1\. Use a newer/],
    ["whose version is not a number", "1.0", /whose version is "1\.0", which is not a version; .*Nothing was changed/],
    ["whose version is empty", "", /whose version is "", which is not a version; .*Nothing was changed/],
  ] as const)("%s are refused, whatever else they contain", async ([, version, message]) => {
    const schema = newSchema();
    await patternsIn(postgres.url, { schema }).save(new PatternLibrary());
    await otherProgram(postgres.url, schema)
      .query(`UPDATE perdura_meta SET value = '${version}' WHERE key = 'layout_version';
      DROP FUNCTION perdura_sums_valid; DROP TABLE perdura_rollup CASCADE`);
    const tables = new PostgresTables(postgres.url, { schema });
    onTestFinished(() => tables.close());
    for (const ask of [
      () => patternsIn(postgres.url, { schema }).load(),
      () => patternsIn(postgres.url, { schema }).save(new PatternLibrary()),
      () => metricsIn(postgres.url, { schema }).getAllUsers(),
      () => tables.look(),
      () => tables.compareSums(),
      () => tables.read(() => Promise.resolve()),
    ])
      await expect(ask()).rejects.toMatchObject({
        code: "PERDURA_UNSUPPORTED_FORMAT",
        message: expect.stringMatching(message) as string,
      });
  });

  test("are not created by reading", async () => {
    const schema = newSchema();
    const tables = new PostgresTables(postgres.url, { schema });
    onTestFinished(() => tables.close());
    for (const ask of [() => tables.look(), () => tables.compareSums(), () => tables.readPatterns()])
      expect(await ask()).toBeUndefined();
    await expect(tables.read(() => Promise.resolve())).rejects.toMatchObject({ code: "PERDURA_FILE_NOT_FOUND" });
    expect(await tables.schemas()).not.toContain(schema);
    const { rows } = await otherProgram(postgres.url, "public").query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [
      schema,
    ]);
    expect(rows).toEqual([]);
  });

  test("with another number of partitions are refused", needs("plain-tables", ON_CITUS), async () => {
    const schema = newSchema();
    await metricsIn(postgres.url, { schema, partitions: 4 }).recordInteraction("a", 1, true, 1);
    expect(await metricsIn(postgres.url, { schema, partitions: 4 }).getAllUsers()).toEqual(["a"]);
    expect(await metricsIn(postgres.url, { schema }).getAllUsers()).toEqual(["a"]);
    await expect(metricsIn(postgres.url, { schema, partitions: 8 }).getAllUsers()).rejects.toThrow(
      /has 4 partitions, but the option partitions is 8/,
    );
  });

  test.for([undefined, 3])(
    "are folded again after a move to another cluster (%s partitions)",
    needs("plain-tables", ON_CITUS),
    async (partitions) => {
      const schema = newSchema();
      const other = otherProgram(postgres.url, schema);
      const first = metricsIn(postgres.url, { schema, partitions });
      await first.recordMany(
        Array.from({ length: 2500 }, (_, index) => ({
          user_id: `u${index % 3}`,
          success: true,
          response_time_ms: index,
        })),
      );
      // They are folded once no transaction of the cluster is older, including those of other tests.
      const addedUp = async (metrics: PostgresMetricsCollector): Promise<number> => {
        await metrics.getGlobalStats();
        const { rows } = await other.query<{ operations: number }>("SELECT operations::int FROM perdura_rollup");
        return (rows[0] as { operations: number }).operations;
      };
      await expect.poll(() => addedUp(first)).toBe(2500);
      // As after pg_restore: from a cluster that was further ahead.
      await other.query(
        `ALTER TABLE interactions DISABLE TRIGGER USER;
         UPDATE interactions SET recorded_by = recorded_by + 1000000;
         ALTER TABLE interactions ENABLE TRIGGER USER;
         UPDATE perdura_rollup SET table_id = table_id + 1, watermark = watermark + 1000000;
         UPDATE perdura_user_rollup SET operations = 0`,
      );
      const second = metricsIn(postgres.url, { schema });
      for (let time = 0; time < 2; time += 1) {
        await second.recordInteraction("u1", 4, false, 1);
        const counted = await countedRows(other);
        expect(await second.getGlobalStats()).toEqual(counted.global);
        expect((await second.getUserStats("u1")).total_operations).toBe(counted.user("u1").total_operations);
      }
      await expect.poll(() => addedUp(second)).toBeGreaterThanOrEqual(2500);
    },
  );
});
