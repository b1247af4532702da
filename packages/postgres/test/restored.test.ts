import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { PatternLibrary } from "@perdura/v16";
import type { Pool } from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { PATIENCE_MS } from "../../../test/patience.ts";
import { PostgresTables } from "../src/tables.ts";
import { countedRows } from "./counted_rows.ts";
import { expectTrends, trendsOfCollector } from "./counted_trends.ts";
import { asNewRole, metricsIn, newSchema, otherProgram, patternsIn } from "./elements.ts";

const ROWS = `INSERT INTO interactions (user_id, level, success, response_time_ms)
  SELECT chr(97 + n % 2), 1 + n % 5, n % 3 = 0, n FROM generate_series(1, 20) AS n`;

async function expectRight(url: string, schema: string, other: Pool): Promise<void> {
  const metrics = metricsIn(url, { schema });
  const counted = await countedRows(other);
  expect(await metrics.getGlobalStats()).toEqual(counted.global);
  expect(await metrics.getAllUsers()).toEqual(counted.users);
  await metrics.recordInteraction("a", 4, true, 1);
  const users = new Set([...counted.users, "a"]).size;
  expect(await metrics.recount()).toEqual({ users, wrongUsers: [], wrongTotals: false });
  expect(await metrics.getGlobalStats()).toEqual((await countedRows(other)).global);
  await expectTrends(trendsOfCollector(metrics), other, ["a", "b"]);
}

describeWithPostgres("tables", (postgres) => {
  test("restored without rows of the internal tables are usable", async () => {
    for (const rows of ["SELECT 1", ROWS]) {
      const schema = newSchema();
      const other = otherProgram(postgres.url, schema);
      await metricsIn(postgres.url, { schema }).getAllUsers();
      await other.query(`DELETE FROM perdura_meta; DELETE FROM perdura_rollup; ${rows}`);
      await expectRight(postgres.url, schema, other);
      const patterns = patternsIn(postgres.url, { schema });
      await expect(patterns.load()).rejects.toMatchObject({ code: "PERDURA_FILE_NOT_FOUND" });
      await patterns.save(new PatternLibrary());
      expect((await patterns.load()).size).toBe(0);
    }
  });

  test("restored without rows of the internal tables are completed by one of many concurrent programs", async () => {
    const schema = newSchema();
    const other = otherProgram(postgres.url, schema);
    await metricsIn(postgres.url, { schema }).getAllUsers();
    await other.query(`DELETE FROM perdura_meta; DELETE FROM perdura_rollup; ${ROWS}`);
    await Promise.all(
      Array.from({ length: 12 }, (_, row) =>
        metricsIn(postgres.url, { schema }).recordInteraction(`u${row}`, 1, true, 1),
      ),
    );
    await expectRight(postgres.url, schema, other);
  });

  test("restored without their version are completed by their owner only, and keep keys and privileges", async () => {
    const schema = newSchema();
    const other = otherProgram(postgres.url, schema);
    await metricsIn(postgres.url, { schema }).getAllUsers();
    await other.query(
      `${ROWS}; INSERT INTO perdura_idempotency_keys VALUES ('k', 'content', 1, 1); DELETE FROM perdura_meta`,
    );
    const url = await asNewRole(postgres.url, schema, other, "SELECT, INSERT", [
      "UPDATE, DELETE ON perdura_rollup, perdura_user_rollup, perdura_user_days, perdura_days, perdura_stale_users",
    ]);
    await expect(metricsIn(url, { schema }).getGlobalStats()).rejects.toThrow(/the role may not change the tables/);
    await metricsIn(postgres.url, { schema }).getAllUsers();
    expect((await other.query("SELECT key FROM perdura_idempotency_keys")).rows).toEqual([{ key: "k" }]);
    const tables = new PostgresTables(url, { schema });
    onTestFinished(() => tables.close());
    await vi.waitUntil(async () => {
      await tables.refresh();
      const { rows } = await other.query<{ operations: string }>(
        "SELECT sum(operations) AS operations FROM perdura_days",
      );
      return rows[0]?.operations === "20";
    }, PATIENCE_MS);
    await expectRight(postgres.url, schema, other);
  });

  test("keep objects that depend on the column recorded_by", async () => {
    const schema = newSchema();
    const other = otherProgram(postgres.url, schema);
    await metricsIn(postgres.url, { schema }).getAllUsers();
    await other.query(
      `${ROWS}; CREATE VIEW mine AS SELECT user_id, recorded_by FROM interactions; DELETE FROM perdura_rollup`,
    );
    await expectRight(postgres.url, schema, other);
    expect((await other.query("SELECT count(*)::int AS rows FROM mine")).rows).toEqual([{ rows: 21 }]);
  });

  test("with unknown transaction numbers are folded", async () => {
    const schema = newSchema();
    const other = otherProgram(postgres.url, schema);
    await metricsIn(postgres.url, { schema }).getAllUsers();
    await other.query(`ALTER TABLE interactions DISABLE TRIGGER USER; ${ROWS};
      UPDATE interactions SET recorded_by = 4000000000000000000; ALTER TABLE interactions ENABLE TRIGGER USER`);
    await expectRight(postgres.url, schema, other);
    const tables = new PostgresTables(postgres.url, { schema });
    onTestFinished(() => tables.close());
    // Once no transaction of other tests is older.
    await vi.waitUntil(async () => {
      await tables.refresh();
      const { rows } = await other.query<{ operations: string }>("SELECT operations FROM perdura_rollup");
      return rows[0]?.operations === "21";
    }, PATIENCE_MS);
  });

  test("are readable by a role that may not change them, which counts all rows", async () => {
    const schema = newSchema();
    const other = otherProgram(postgres.url, schema);
    await metricsIn(postgres.url, { schema }).getAllUsers();
    await other.query(`${ROWS}; DELETE FROM perdura_rollup`);
    const metrics = metricsIn(await asNewRole(postgres.url, schema, other, "SELECT"), { schema });
    expect(await metrics.getGlobalStats()).toEqual((await countedRows(other)).global);
    await expectTrends(trendsOfCollector(metrics), other, ["a", "b"]);
    await expect(metrics.recordInteraction("a", 1, true, 1)).rejects.toThrow(/permission denied/);
  });
});
