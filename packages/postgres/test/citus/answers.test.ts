import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dropTestObject, testName } from "@perdura/test-servers/postgres/test_objects.js";
import { MetricsCollector } from "@perdura/v16";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { PostgresTables } from "../../src/tables.ts";
import { metricsIn, newSchema, otherProgram } from "../elements.ts";
import { equalToSqlite } from "../equal_to_sqlite.ts";
import { inShards } from "../layouts.ts";
import { runs } from "../runs.ts";
import { describeOnCitus, LAYOUT } from "./cluster.ts";

const clock = (): Date => new Date("2026-03-29T01:30:00Z");

describeOnCitus("answers", (cluster) => {
  test("metrics equal those in SQLite, for each way to record", async () => {
    await fc.assert(
      equalToSqlite(() => cluster.url, LAYOUT, newSchema),
      { numRuns: runs(8) },
    );
  });

  test("exports, trends and lists equal those in SQLite", async () => {
    const theirs = new MetricsCollector(":memory:", { clock });
    const ours = metricsIn(cluster.url, { ...LAYOUT, schema: newSchema(), clock });
    const records = Array.from({ length: 2100 }, (_, index) => ({
      user_id: ["a", 'ä"', "\u{1f600}", "d"][index % 4] as string,
      level: 1 + (index % 5),
      success: index % 3 > 0,
      response_time_ms: index / 4,
      ...(index % 7 === 0 ? { metadata: { text: "\0\ud800,\n", index } } : {}),
    }));
    theirs.recordMany(records);
    await ours.recordMany(records);
    const directory = freshFolder();
    for (const extension of ["json", "jsonl", "csv"]) {
      const [one, other] = [join(directory, `ours.${extension}`), join(directory, `theirs.${extension}`)];
      expect(await ours.exportMetrics(one)).toBe(2100);
      theirs.exportMetrics(other);
      expect(readFileSync(one, "utf8")).toBe(readFileSync(other, "utf8"));
    }
    for (const bucket of ["hour", "day", "week", "month"] as const) {
      expect(await ours.getUserTrend("a", { bucket })).toEqual(theirs.getUserTrend("a", { bucket }));
      expect(await ours.getGlobalTrend({ bucket })).toEqual(theirs.getGlobalTrend({ bucket }));
    }
  });

  test("statistics are right after other programs changed rows", async () => {
    const name = newSchema();
    const metrics = metricsIn(cluster.url, { ...LAYOUT, schema: name });
    await metrics.recordMany(
      Array.from({ length: 600 }, (_, index) => ({
        user_id: `u${index % 20}`,
        level: 2,
        success: true,
        response_time_ms: 10,
      })),
    );
    expect(await metrics.getGlobalStats()).toEqual({ total_users: 20, total_interactions: 600, success_rate: 1 });
    const other = otherProgram(cluster.url, name);
    await other.query("UPDATE interactions SET level = 5, success = false WHERE user_id = 'u1'");
    await other.query("DELETE FROM interactions WHERE user_id IN ('u2', 'u3')");
    await other.query("INSERT INTO interactions (user_id, level, success) VALUES ('new', 1, true)");
    expect(await metrics.getUserStats("u1")).toMatchObject({ success_rate: 0, current_level: 5, level_5_count: 30 });
    expect(await metrics.getUserStats("u2")).toMatchObject({ total_operations: 0 });
    expect(await metrics.getGlobalStats()).toMatchObject({ total_users: 19, total_interactions: 541 });
    const tables = new PostgresTables(cluster.url, { schema: name });
    const read = await tables.read(async ({ metrics: stored }) => [
      (await stored?.overview())?.operations,
      (await stored?.topUsers(1))?.map(({ user_id, total_operations }) => [user_id, total_operations]),
    ]);
    expect(read).toEqual([541, [["u0", 30]]]);
    await tables.close();
  });

  test("a role that may only read gets the same answers, from the sums or from the rows", async () => {
    const name = newSchema();
    const metrics = metricsIn(cluster.url, { ...LAYOUT, schema: name });
    await metrics.recordMany(
      Array.from({ length: 2500 }, (_, index) => ({
        user_id: `u${index % 3}`,
        success: true,
        response_time_ms: index,
      })),
    );
    const other = otherProgram(cluster.url, name);
    const quoted = `"${name.replaceAll('"', '""')}"`;
    const [before, after] = [testName(), testName()];
    onTestFinished(async () => {
      for (const role of [before, after]) await dropTestObject(other, "ROLE", role);
    });
    const allow = async (role: string): Promise<void> =>
      void (await other.query(`CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA ${quoted} TO ${role};
        GRANT SELECT ON ALL TABLES IN SCHEMA ${quoted} TO ${role}`));
    await allow(before);
    expect(await metrics.getGlobalStats()).toMatchObject({ total_interactions: 2500 });
    await allow(after);
    const question = "SELECT counted::int FROM perdura_global_sums()";
    for (const [role, counted] of [
      [before, 0],
      [after, 2500],
    ] as const) {
      const as = Object.assign(new URL(cluster.url), { username: role }).href;
      const reader = metricsIn(as, { ...LAYOUT, schema: name });
      expect(await reader.getGlobalStats()).toEqual(await metrics.getGlobalStats());
      expect(await reader.getUserStats("u1")).toEqual(await metrics.getUserStats("u1"));
      expect(await reader.getAllUsers()).toEqual(["u0", "u1", "u2"]);
      expect((await otherProgram(as, name).query(question)).rows).toEqual([{ counted }]);
    }
  });

  test("wrong sums are found in the shards, with the users in the order of code points", async () => {
    const name = newSchema();
    const metrics = metricsIn(cluster.url, { ...LAYOUT, schema: name });
    // In UTF-16, the last one comes before the one before it.
    const users = ["a", "b", "\uffff", "\u{10000}"];
    await metrics.recordMany(
      Array.from({ length: 2400 }, (_, index) => ({
        user_id: users[index % 4] as string,
        success: true,
        response_time_ms: 1,
      })),
    );
    const other = otherProgram(cluster.url, name);
    await expect
      .poll(async () => {
        await metrics.getGlobalStats();
        return (await other.query("SELECT counted::int FROM perdura_global_sums()")).rows;
      })
      .toEqual([{ counted: 0 }]);
    await other.query(inShards("UPDATE perdura_user_rollup SET operations = 7 WHERE user_id <> 'b'"));
    const wrongUsers = ["a", "\uffff", "\u{10000}"];
    expect(await metrics.recount()).toEqual({ users: 4, wrongUsers, wrongTotals: true });
    expect(await metrics.recount()).toEqual({ users: 4, wrongUsers: [], wrongTotals: false });
  });
});
