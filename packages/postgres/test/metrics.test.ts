import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { type InteractionRecord, MetricsCollector } from "@perdura/v16";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { metricsIn, newSchema, otherProgram } from "./elements.ts";
import { equalToSqlite } from "./equal_to_sqlite.ts";
import { LAYOUTS, ON_CITUS, WITH_METADATA } from "./layouts.ts";
import { runs } from "./runs.ts";

const clock = (): Date => new Date("2026-03-29T01:30:00Z");

describeWithPostgres("metrics", (postgres) => {
  describe.for(LAYOUTS)("in %s", ([, layout]) => {
    test("equal those in SQLite, for each way to record", async () => {
      await fc.assert(
        equalToSqlite(() => postgres.url, layout),
        { numRuns: runs(12) },
      );
    });

    test("store the recorded values, with exact metadata", async () => {
      const schema = newSchema();
      const metrics = metricsIn(postgres.url, { ...layout, schema, clock });
      expect(await metrics.recordInteraction("a", 3, true, 0.1)).toBe(1);
      await metrics.recordMetric("a", false, 1e308, { b: "\0\ud800", a: [1, 2.5, null] });
      await metrics.recordMany([
        { user_id: "a", success: true, response_time_ms: 5e-324 },
        { user_id: "a", level: 5, success: true, response_time_ms: 0, metadata: {} },
        { user_id: "a", success: true, response_time_ms: 7 },
      ]);
      const other = otherProgram(postgres.url, schema);
      const { rows } = await other.query(
        `SELECT i.id::int, i.level, i.success, i.response_time_ms::text AS ms, i.timestamp, m.metadata::text
         FROM ${WITH_METADATA} ORDER BY i.id`,
      );
      const timestamp = "2026-03-29 01:30:00";
      expect(rows).toEqual([
        { id: 1, level: 3, success: true, ms: "0.1", timestamp, metadata: null },
        {
          id: 2,
          level: 3,
          success: false,
          ms: "1e+308",
          timestamp,
          metadata: '{"b":"\\u0000\\ud800","a":[1,2.5,null]}',
        },
        { id: 3, level: 3, success: true, ms: "5e-324", timestamp, metadata: null },
        { id: 4, level: 5, success: true, ms: "0", timestamp, metadata: "{}" },
        { id: 5, level: 5, success: true, ms: "7", timestamp, metadata: null },
      ]);
    });

    test("store no record of a batch if one is refused", async () => {
      const metrics = metricsIn(postgres.url, layout);
      const good = { user_id: "a", level: 1, success: true, response_time_ms: 1 };
      const records = [...Array.from({ length: 1500 }, () => good), { ...good, level: 6 }];
      await expect(metrics.recordMany(records)).rejects.toThrow(
        /records\[1500\]\.level: expected an integer from 1 to 5/,
      );
      expect(await metrics.getGlobalStats()).toMatchObject({ total_interactions: 0 });
      expect(await metrics.recordMany(records.slice(0, 1500))).toBe(1500);
      expect(await metrics.getUserStats("a")).toMatchObject({ total_operations: 1500 });
    });
  });

  test.each(["json", "jsonl", "csv"])("an export as %s equals that of SQLite, byte for byte", async (extension) => {
    const directory = freshFolder();
    const theirs = new MetricsCollector(":memory:", { clock });
    const ours = metricsIn(postgres.url, { clock, ...(ON_CITUS ? {} : { partitions: 2 }) });
    const records = Array.from({ length: 4100 }, (_, index) => ({
      user_id: ["a", 'ä"', "\u{1f600}"][index % 3] as string,
      level: 1 + (index % 5),
      success: index % 2 === 0,
      response_time_ms: index / 4,
      ...(index % 7 === 0 ? { metadata: { text: "\0\ud800,\n", index } } : {}),
    }));
    theirs.recordMany(records);
    await ours.recordMany(records);
    const heard: number[] = [];
    const [one, other] = [join(directory, `ours.${extension}`), join(directory, `theirs.${extension}`)];
    expect(await ours.exportMetrics(one, { onProgress: ({ done }) => heard.push(done) })).toBe(4100);
    theirs.exportMetrics(other);
    expect(readFileSync(one, "utf8")).toBe(readFileSync(other, "utf8"));
    expect(heard).toEqual([0, 4100]);
    const failure = new Error("enough");
    const stop = (): void => {
      throw failure;
    };
    await expect(ours.exportMetrics(one, { onProgress: stop })).rejects.toBe(failure);
    expect(readdirSync(directory).toSorted()).toEqual([`ours.${extension}`, `theirs.${extension}`]);
    expect(readFileSync(one, "utf8")).toBe(readFileSync(other, "utf8"));
    await expect(ours.exportMetrics("x.xml")).rejects.toThrow(/expected a name ending in/);
  });

  test("an export of spread rows gives an interaction the metadata of its own user", async () => {
    const schema = newSchema();
    const metrics = metricsIn(postgres.url, { schema, ...LAYOUTS.at(-1)?.[1] });
    const [user, ...others] = ["a", "b", "c", "d", "e", "f"] as const;
    await metrics.recordMetric(user, true, 1, { of: user });
    const other = otherProgram(postgres.url, schema);
    for (const each of others)
      await other.query("INSERT INTO interactions (id, user_id, level, success) VALUES (1, $1, 1, true)", [each]);
    const file = join(freshFolder(), "all.jsonl");
    expect(await metrics.exportMetrics(file)).toBe(6);
    const rows = readFileSync(file, "utf8").trim().split("\n");
    const exported = rows.map((row) => JSON.parse(row) as { user_id: string; metadata: unknown });
    expect(exported.filter(({ metadata }) => metadata !== null)).toMatchObject([
      { user_id: user, metadata: { of: user } },
    ]);
  });

  // The codes of a retryable transaction, of a lock, of a broken connection, and of Node.js.
  test.each(["40001", "55P03", "57P01", "ECONNRESET", "ERR_ASSERTION"])(
    "rethrow an error of the caller's code unchanged: %s",
    async (code) => {
      const own = Object.assign(new Error("the caller's"), { code });
      let asked = 0;
      const fail = (): never => {
        asked += 1;
        throw own;
      };
      const schema = newSchema();
      const metrics = metricsIn(postgres.url, { schema, clock: fail });
      await expect(metrics.recordInteraction("a", 1, true, 1)).rejects.toBe(own);
      await expect(metrics.recordMetric("a", true, 1, { n: 1 })).rejects.toBe(own);
      await expect(metrics.recordMany([{ user_id: "a", success: true, response_time_ms: 1 }])).rejects.toBe(own);
      await expect(metrics.writer().recordMetric("a", true, 1)).rejects.toBe(own);
      expect(asked).toBe(4);
      const timed = metricsIn(postgres.url, { schema });
      function* records(): Generator<InteractionRecord> {
        yield { user_id: "a", success: true, response_time_ms: 1 };
        fail();
      }
      await expect(timed.recordMany(records())).rejects.toBe(own);
      expect((await timed.getGlobalStats()).total_interactions).toBe(0);
      const directory = freshFolder();
      await expect(timed.exportMetrics(join(directory, "x.json"), { onProgress: fail })).rejects.toBe(own);
      expect(asked).toBe(6);
      expect(readdirSync(directory)).toEqual([]);
      await timed.recordInteraction("a", 1, true, 1);
      expect((await metrics.getGlobalStats()).total_interactions).toBe(1);
    },
  );

  test("use the server's clock in UTC to the second, in any time zone of the session", async () => {
    const schema = newSchema();
    const separator = postgres.url.includes("?") ? "&" : "?";
    const metrics = metricsIn(`${postgres.url}${separator}options=-c%20TimeZone%3DAmerica%2FNew_York`, { schema });
    const now = (): string => new Date().toISOString().slice(0, 19).replace("T", " ");
    const before = now();
    await metrics.recordInteraction("a", 1, true, 1);
    const after = now();
    const { first_use } = await metrics.getUserStats("a");
    // The call may take longer than a second. Sorted as text, which is the order of time.
    expect([before, first_use, after].toSorted()).toEqual([before, first_use, after]);
  });

  test("combine concurrent calls into one statement, and return to each the id of its row", async () => {
    const schema = newSchema();
    const metrics = metricsIn(postgres.url, { schema });
    const writer = metrics.writer();
    const users = Array.from({ length: 2500 }, (_, index) => `u${index}`);
    const ids = await Promise.all(users.map((user) => writer.recordInteraction(user, 2, true, 1)));
    const { rows } = await otherProgram(postgres.url, schema).query(
      "SELECT id::int, user_id, recorded_by FROM interactions ORDER BY id",
    );
    expect(rows.map(({ id }) => id as number)).toEqual(ids);
    expect(rows.map(({ user_id }) => user_id as string)).toEqual(users);
    expect(new Set(rows.map(({ recorded_by }) => recorded_by as string)).size).toBeLessThanOrEqual(4);
  });

  test("add many records in their order with several statements, or none of them", async () => {
    const schema = newSchema();
    const metrics = metricsIn(postgres.url, { schema });
    const own = new Error("the caller's own");
    function* records(most: number, metadata: { row: number } | null = null) {
      for (let row = 0; row < 10_000; row += 1) {
        if (row === most) throw own;
        yield { user_id: `u${row}`, level: 1 + (row % 5), success: true, response_time_ms: row, metadata };
      }
    }
    for (const most of [0, 2000, 4000, 8000]) await expect(metrics.recordMany(records(most))).rejects.toBe(own);
    expect(await metrics.recordMany(records(Infinity))).toBe(10_000);
    expect(await metrics.recordMany(records(Infinity, { row: 1 }))).toBe(10_000);
    const { rows } = await otherProgram(postgres.url, schema).query<{ user_id: string }>(
      "SELECT user_id FROM interactions ORDER BY id",
    );
    const users = Array.from({ length: 10_000 }, (_, row) => `u${row}`);
    expect(rows.map(({ user_id }) => user_id)).toEqual([...users, ...users]);
  });

  test("store queued rows of writers on close", async () => {
    const schema = newSchema();
    const metrics = metricsIn(postgres.url, { schema });
    const stored = metrics.writer().recordInteraction("a", 2, true, 1);
    await metrics.close();
    expect(await stored).toBe(1);
    await expect(metrics.getAllUsers()).rejects.toThrow(/was closed/);
  });
});
