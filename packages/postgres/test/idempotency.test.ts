import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { metricsIn, newSchema, otherProgram } from "./elements.ts";
import { LAYOUTS, WITH_METADATA } from "./layouts.ts";
import { runs } from "./runs.ts";

const RECORDS = [
  { user_id: "a", level: 4, success: true, response_time_ms: 1.5 },
  { user_id: "b", success: false, response_time_ms: 2, metadata: { tool: "ä" } },
];

describeWithPostgres("an idempotency key", (postgres) => {
  test("allows a call to be repeated, and stores its rows once", async () => {
    for (const [, layout] of LAYOUTS) {
      const schema = newSchema();
      const metrics = metricsIn(postgres.url, { schema, ...layout });
      const other = otherProgram(postgres.url, schema);
      const twice = async <Result>(call: () => Promise<Result>): Promise<Result> => {
        const first = await call();
        expect(await call()).toEqual(first);
        return first;
      };
      const id = await twice(() => metrics.recordInteraction("a", 3, true, 1.5, { idempotencyKey: "one" }));
      await twice(() => metrics.recordMetric("a", false, 2, { tool: "search" }, { idempotencyKey: "two" }));
      expect(await twice(() => metrics.recordMany(RECORDS, { idempotencyKey: "many" }))).toBe(2);
      expect(await twice(() => metrics.recordMany([], { idempotencyKey: "none" }))).toBe(0);
      // From another program, too.
      const second = metricsIn(postgres.url, { schema });
      expect(await second.recordInteraction("a", 3, true, 1.5, { idempotencyKey: "one" })).toBe(id);
      expect(await second.recordMany(new Set(RECORDS), { idempotencyKey: "many" })).toBe(2);
      const { rows } = await other.query(
        `SELECT i.user_id, level, success, response_time_ms, metadata FROM ${WITH_METADATA} ORDER BY i.id`,
      );
      expect(rows).toEqual([
        { user_id: "a", level: 3, success: true, response_time_ms: 1.5, metadata: null },
        { user_id: "a", level: 3, success: false, response_time_ms: 2, metadata: { tool: "search" } },
        { user_id: "a", level: 4, success: true, response_time_ms: 1.5, metadata: null },
        { user_id: "b", level: 1, success: false, response_time_ms: 2, metadata: { tool: "ä" } },
      ]);
      const { rows: columns } = await other.query<{ name: string }>(
        "SELECT attname AS name FROM pg_attribute WHERE attrelid = 'interactions'::regclass AND attnum > 0 ORDER BY attnum",
      );
      expect(columns.map(({ name }) => name)).toEqual([
        "id",
        "user_id",
        "level",
        "success",
        "response_time_ms",
        "timestamp",
        "recorded_by",
      ]);
      expect(await metrics.recount()).toEqual({ users: 2, wrongUsers: [], wrongTotals: false });
    }
  });

  test("is refused with other values", async () => {
    const metrics = metricsIn(postgres.url);
    await metrics.recordInteraction("a", 3, true, 1.5, { idempotencyKey: "one" });
    await metrics.recordMany(RECORDS, { idempotencyKey: "many" });
    const refused = {
      code: "PERDURA_VALIDATION",
      message: expect.stringMatching(/was already used for different interactions\. Nothing was written\. /) as string,
    };
    for (const call of [
      () => metrics.recordInteraction("a", 3, true, 1.25, { idempotencyKey: "one" }),
      () => metrics.recordMetric("a", true, 1.5, null, { idempotencyKey: "one" }),
      () => metrics.recordMany(RECORDS, { idempotencyKey: "one" }),
      () => metrics.recordMany(RECORDS.slice(1), { idempotencyKey: "many" }),
      () => metrics.recordMany(RECORDS.toReversed(), { idempotencyKey: "many" }),
    ])
      await expect(call()).rejects.toMatchObject(refused);
    // Its own interaction alone equals a batch of it.
    expect(
      await metrics.recordMany([{ user_id: "a", level: 3, success: true, response_time_ms: 1.5 }], {
        idempotencyKey: "one",
      }),
    ).toBe(1);
    expect((await metrics.getGlobalStats()).total_interactions).toBe(3);
  });

  test("can be used again if the first call failed", async () => {
    const metrics = metricsIn(postgres.url);
    const broken = function* (): Generator<(typeof RECORDS)[0]> {
      yield RECORDS[0] as (typeof RECORDS)[0];
      throw new RangeError("no more");
    };
    await expect(metrics.recordMany(broken(), { idempotencyKey: "many" })).rejects.toThrow("no more");
    expect(await metrics.recordMany(RECORDS, { idempotencyKey: "many" })).toBe(2);
    expect((await metrics.getGlobalStats()).total_interactions).toBe(2);
  });

  test("stores the rows of concurrent calls once", async () => {
    const schema = newSchema();
    const programs = Array.from({ length: 4 }, () => metricsIn(postgres.url, { schema }));
    await fc.assert(
      fc.asyncProperty(fc.uuid(), fc.array(fc.nat(3), { minLength: 2, maxLength: 8 }), async (key, callers) => {
        const before = (await programs[0]?.getGlobalStats())?.total_interactions ?? 0;
        const ids = await Promise.all(
          callers.map((caller) => programs[caller]?.recordInteraction("a", 1, true, 1, { idempotencyKey: key })),
        );
        expect(new Set(ids).size).toBe(1);
        const many = await Promise.all(
          callers.map((caller) => programs[caller]?.recordMany(RECORDS, { idempotencyKey: `${key} many` })),
        );
        expect(new Set(many)).toEqual(new Set([2]));
        expect((await programs[0]?.getGlobalStats())?.total_interactions).toBe(before + 3);
      }),
      { numRuns: runs(15) },
    );
  });

  test.each([
    ["", /idempotencyKey/],
    ["a\0b", /idempotencyKey/],
    [5, /idempotencyKey/],
    ["x".repeat(256), /at most 255 characters, got 256\. Nothing was written/],
  ])("refuses %j", async (idempotencyKey, message) => {
    const metrics = metricsIn(postgres.url);
    const options = { idempotencyKey: idempotencyKey as string };
    await expect(metrics.recordInteraction("a", 1, true, 1, options)).rejects.toThrow(message);
    await expect(metrics.recordMany([], options)).rejects.toThrow(message);
    await expect(metrics.recordMetric("a", true, 1, null, { key: "x" } as never)).rejects.toThrow(
      /unknown option "key"/,
    );
  });
});
