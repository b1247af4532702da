import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { startPostgres } from "@perdura/test-servers/postgres/server.js";
import { startStandby } from "@perdura/test-servers/postgres/standby.js";
import { testedVersion } from "@perdura/test-servers/postgres/versions.js";
import { PatternLibrary } from "@perdura/v16";
import type { Pool } from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { PATIENCE_MS } from "../../../test/patience.ts";
import type { PostgresMetricsCollector } from "../src/index.ts";
import { countedRows, withoutMean } from "./counted_rows.ts";
import { expectTrends, trendsOfCollector } from "./counted_trends.ts";
import { metricsIn, newSchema, otherProgram, patternsIn } from "./elements.ts";
import { needs } from "../../../test/needs.ts";

/** Enough rows that a query tries to fold them, which a standby cannot. */
const MANY = 2500;
const USERS = ["a", "b", "c"];
const ONLY_READS = {
  code: "PERDURA_STORAGE",
  message: expect.stringMatching(/: this server or this role is read-only\./) as string,
  cause: expect.objectContaining({ code: "25006" }) as Error,
};

const records = (rows: number) =>
  Array.from({ length: rows }, (_, row) => ({
    user_id: USERS[row % 3] as string,
    level: 1 + (row % 5),
    success: row % 2 === 0,
    response_time_ms: row,
  }));

/** Waits until all changes of the primary are on the standby. */
async function caughtUp(primary: Pool, standby: Pool): Promise<void> {
  const { rows } = await primary.query<{ now: string }>("SELECT pg_current_wal_flush_lsn() AS now");
  await vi.waitUntil(async () => {
    const replayed = "SELECT 1 WHERE pg_last_wal_replay_lsn() >= $1::pg_lsn";
    return (await standby.query(replayed, [rows[0]?.now])).rows.length > 0;
  }, PATIENCE_MS);
}

async function expectRight(metrics: PostgresMetricsCollector, other: Pool): Promise<void> {
  const counted = await countedRows(other);
  for (let time = 0; time < 2; time += 1) {
    expect(await metrics.getGlobalStats()).toEqual(counted.global);
    expect(await metrics.getAllUsers()).toEqual(counted.users);
    for (const user of USERS)
      expect(withoutMean(await metrics.getUserStats(user))).toEqual(withoutMean(counted.user(user)));
    await expectTrends(trendsOfCollector(metrics), other, USERS);
  }
}

describeWithPostgres("a hot standby", () => {
  test.for([undefined, 3])(
    "answers queries, refuses writes, and accepts them once promoted (%s partitions)",
    async (partitions) => {
      // An acknowledged commit is on the disk, from which the standby receives it.
      const primary = await startPostgres({ settings: { synchronous_commit: "on" } });
      onTestFinished(() => primary.stop());
      const schema = newSchema();
      const [metrics, patterns] = [metricsIn(primary.url, { schema, partitions }), patternsIn(primary.url, { schema })];
      const library = new PatternLibrary();
      library.contribute("agent", { id: "p", pattern_type: "t", name: "n" });
      library.recordUsage("p", "agent", true);
      await metrics.recordMany(records(30));
      await patterns.save(library);
      // Some rows are folded, and more are not.
      await metrics.recount();
      await metrics.recordMany(records(MANY), { idempotencyKey: "many" });

      const standby = await startStandby(primary);
      onTestFinished(() => standby.stop());
      const [there, here] = [otherProgram(primary.url, schema), otherProgram(standby.url, schema)];
      const [reader, loader] = [metricsIn(standby.url, { schema }), patternsIn(standby.url, { schema })];
      await caughtUp(there, here);
      await expectRight(reader, here);
      expect([...(await loader.load()).patterns.values()]).toEqual([...library.patterns.values()]);
      const file = join(freshFolder(), "all.jsonl");
      expect(await reader.exportMetrics(file)).toBe(MANY + 30);
      expect(readFileSync(file, "utf8").trim().split("\n").length).toBeGreaterThanOrEqual(MANY + 30);

      const record = { user_id: "a", success: true, response_time_ms: 1 };
      for (const write of [
        () => reader.recordInteraction("a", 1, true, 1),
        () => reader.recordMetric("a", true, 1, { tool: "search" }),
        () => reader.recordInteraction("a", 1, true, 1, { idempotencyKey: "new" }),
        () => reader.recordMany([record]),
        () => reader.recordMany([record], { idempotencyKey: "new" }),
        () => reader.writer().recordMetric("a", true, 1),
        () => loader.save(library),
        () => loader.save(library, { mode: "replace" }),
        () => metricsIn(standby.url).getAllUsers(),
        () => metricsIn(standby.url).recordInteraction("a", 1, true, 1),
        () => patternsIn(standby.url).save(library),
      ])
        await expect(write(), write.toString()).rejects.toMatchObject(ONLY_READS);

      // Without a fault, nothing has to be written.
      expect(await reader.recount()).toMatchObject({ wrongUsers: [], wrongTotals: false });
      for (const change of [
        () => metrics.recordInteraction("c", 5, false, 7),
        () => there.query("UPDATE interactions SET user_id = 'b' WHERE id = 7; DELETE FROM interactions WHERE id = 8"),
        () => metrics.recount(),
        () => there.query("DELETE FROM interactions WHERE user_id = 'c'"),
      ]) {
        await change();
        await caughtUp(there, here);
        await expectRight(reader, here);
      }

      await primary.stop();
      expect((await here.query("SELECT pg_promote() AS promoted")).rows).toEqual([{ promoted: true }]);
      const { rows } = await here.query<{ newest: number }>("SELECT max(id)::int AS newest FROM interactions");
      const id = await reader.recordInteraction("d", 2, true, 3);
      expect(id).toBeGreaterThan(rows[0]?.newest ?? Number.POSITIVE_INFINITY);
      expect(await reader.recordInteraction("d", 2, true, 3)).toBe(id + 1);
      await loader.save(library);
      await expectRight(reader, here);
      expect(await reader.recount()).toEqual({ users: 3, wrongUsers: [], wrongTotals: false });
      await expectRight(reader, here);
    },
  );
});

describeWithPostgres("the server of a run", (postgres) => {
  const isNamed = (process.env["TEST_PG_URL"] ?? "") !== "";
  test("has the version under test", needs("own-server", isNamed), async () => {
    const { rows } = await otherProgram(postgres.url, newSchema()).query<{ version: number }>(
      "SELECT current_setting('server_version_num')::int / 10000 AS version",
    );
    expect(rows[0]?.version).toBe(testedVersion());
  });
});
