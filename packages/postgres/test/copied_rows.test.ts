import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import type { InteractionRecord } from "@perdura/v16";
import fc from "fast-check";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { PostgresMetricsCollector } from "../src/index.ts";
import { asNewRole, metricsIn, newSchema, otherProgram } from "./elements.ts";
import { ON_CITUS } from "./layouts.ts";
import { runs } from "./runs.ts";

/** Rows of the first statement, which tells the id; those after it are copied. */
const FIRST = Array.from({ length: 3000 }, () => ({ user_id: "first", level: 1, success: true, response_time_ms: 1 }));

const userIds = fc.oneof(
  fc.string({
    unit: fc.constantFrom("\\", "\t", "\n", "\r", "N", ".", "\u{1f600}", "a", '"', "'", "{", "}", ",", "\b"),
  }),
  fc.constantFrom("\\N", "\\.", "\\t", "NULL", " ", "\\\\N"),
);

const recorded: fc.Arbitrary<InteractionRecord> = fc.record({
  user_id: userIds.filter((id) => id !== ""),
  level: fc.integer({ min: 1, max: 5 }),
  success: fc.boolean(),
  response_time_ms: fc.oneof(
    fc.constantFrom(0, 5e-324, 1e308, 1e21, 0.1),
    fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
  ),
});

/** Statements that add interactions, as a trigger sees them. */
async function seenStatements(other: pg.Pool): Promise<() => Promise<string[]>> {
  await other.query(`CREATE TABLE seen (id bigint GENERATED ALWAYS AS IDENTITY, statement text);
    CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$BEGIN
      EXECUTE format('INSERT INTO %I.seen (statement) VALUES ($1)', TG_TABLE_SCHEMA) USING current_query(); RETURN NULL;
    END$$;
    CREATE TRIGGER see AFTER INSERT ON interactions FOR EACH STATEMENT EXECUTE FUNCTION see()`);
  return async () => {
    const { rows } = await other.query<{ word: string }>(
      "SELECT split_part(ltrim(statement), ' ', 1) AS word FROM seen ORDER BY id",
    );
    await other.query("TRUNCATE seen");
    return rows.map(({ word }) => word);
  };
}

describeWithPostgres("many records", (postgres) => {
  test("have the recorded values and order, whether they are copied or inserted", async () => {
    const schema = newSchema();
    const metrics = metricsIn(postgres.url, { schema, clock: () => new Date("2026-03-29T01:30:00Z") });
    const other = otherProgram(postgres.url, schema);
    expect(await metrics.getAllUsers()).toEqual([]);
    await fc.assert(
      fc.asyncProperty(fc.array(recorded, { minLength: 1, maxLength: 40, size: "max" }), async (records) => {
        await other.query("TRUNCATE interactions CASCADE");
        expect(await metrics.recordMany([...FIRST, ...records])).toBe(FIRST.length + records.length);
        const { rows } = await other.query<Record<string, unknown>>(
          `SELECT user_id, level, success, response_time_ms, timestamp FROM interactions ORDER BY id OFFSET ${FIRST.length}`,
        );
        expect(rows).toEqual(records.map((record) => ({ ...record, timestamp: "2026-03-29 01:30:00" })));
      }),
      { numRuns: runs(20), endOnFailure: true },
    );
  });

  test.skipIf(ON_CITUS)("are copied where that can be done, and otherwise inserted", async () => {
    const schema = newSchema();
    const metrics = metricsIn(postgres.url, { schema });
    const other = otherProgram(postgres.url, schema);
    expect(await metrics.getAllUsers()).toEqual([]);
    const seen = await seenStatements(other);
    const late = { user_id: "late", level: 2, success: true, response_time_ms: 1 };
    await metrics.recordMany([...FIRST, late]);
    expect(await seen()).toEqual(["WITH", "COPY"]);
    // The level of a row, and the id of one with metadata, are looked up by the statement.
    await metrics.recordMany([...FIRST, { user_id: "late", success: true, response_time_ms: 1 }]);
    expect(await seen()).toEqual(["WITH", "WITH"]);
    await metrics.recordMany([...FIRST, { ...late, metadata: { tool: "search" } }]);
    expect(await seen()).toEqual(["WITH", "WITH"]);
    expect(await metrics.getUserStats("late")).toMatchObject({ total_operations: 3, level_2_count: 3 });

    // A driver that has no COPY.
    const pool = new pg.Pool({ connectionString: postgres.url });
    onTestFinished(() => pool.end());
    pool.on("connect", (client) => Object.assign(client.connection, { sendCopyFromChunk: undefined }));
    const without = new PostgresMetricsCollector(pool, { schema });
    expect(await without.recordMany([...FIRST, late])).toBe(FIRST.length + 1);
    expect(await seen()).toEqual(["WITH", "WITH"]);
  });

  test.skipIf(ON_CITUS)("of a role with policies are inserted, and those against a policy refused", async () => {
    const schema = newSchema();
    const owner = metricsIn(postgres.url, { schema });
    const other = otherProgram(postgres.url, schema);
    expect(await owner.getAllUsers()).toEqual([]);
    const url = await asNewRole(postgres.url, schema, other, "SELECT, INSERT, UPDATE, DELETE");
    const role = new URL(url).username;
    await other.query(`ALTER TABLE interactions ENABLE ROW LEVEL SECURITY;
      CREATE POLICY own ON interactions TO ${role} USING (user_id <> 'foreign')`);
    const seen = await seenStatements(other);
    const metrics = metricsIn(url, { schema });
    const late = { user_id: "late", level: 2, success: true, response_time_ms: 1 };
    expect(await metrics.recordMany([...FIRST, late])).toBe(FIRST.length + 1);
    expect(await seen()).toEqual(["WITH", "WITH"]);
    await expect(metrics.recordMany([...FIRST, { ...late, user_id: "foreign" }])).rejects.toMatchObject({
      code: "PERDURA_STORAGE",
      message: expect.stringMatching(/row-level security.* Nothing was written\./) as string,
    });
    expect(await owner.getGlobalStats()).toMatchObject({ total_interactions: FIRST.length + 1 });
  });

  test.skipIf(ON_CITUS)(
    "are all refused if a trigger leaves out one that is copied, or a constraint refuses it",
    async () => {
      const schema = newSchema();
      const metrics = metricsIn(postgres.url, { schema });
      const other = otherProgram(postgres.url, schema);
      expect(await metrics.getAllUsers()).toEqual([]);
      await other.query(`CREATE FUNCTION no_late() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN RETURN CASE WHEN NEW.user_id = ''late'' THEN NULL ELSE NEW END; END';
      CREATE TRIGGER no_late BEFORE INSERT ON interactions FOR EACH ROW EXECUTE FUNCTION no_late();
      ALTER TABLE interactions ADD CONSTRAINT no_refused CHECK (user_id <> 'refused')`);
      const [late, refused] = ["late", "refused"].map((user_id) => ({
        user_id,
        level: 2,
        success: true,
        response_time_ms: 1,
      })) as [InteractionRecord, InteractionRecord];
      await expect(metrics.recordMany([...FIRST, late, ...FIRST])).rejects.toMatchObject({
        code: "PERDURA_STORAGE",
        message: expect.stringMatching(
          /a trigger on the table interactions left out a row\. Nothing was written\./,
        ) as string,
      });
      await expect(metrics.recordMany([...FIRST, refused, ...FIRST])).rejects.toMatchObject({
        code: "PERDURA_STORAGE",
        message: expect.stringMatching(/no_refused.* Nothing was written\./) as string,
      });
      expect(await metrics.getAllUsers()).toEqual([]);
      expect(await metrics.recordMany(FIRST)).toBe(FIRST.length);
    },
  );
});
