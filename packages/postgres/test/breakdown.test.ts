import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { rawNumber } from "@perdura/internals/json/values.js";
import { type BreakdownOptions, type JsonObject, type ListOptions, MetricsCollector } from "@perdura/v16";
import fc from "fast-check";
import { expect, test } from "vitest";
import { metricsIn, newSchema, otherProgram } from "./elements.ts";
import { LAYOUTS, ON_CITUS } from "./layouts.ts";

const clock = (): Date => new Date("2026-03-29T01:30:00Z");

const SIMPLE = ["search", "fetch", "1", "", "💥", 1, 1.5, -0, 2e3, 1e21, true, false, null] as const;

const value: fc.Arbitrary<JsonObject[string]> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<JsonObject[string]>(...SIMPLE) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom<JsonObject[string]>(...SIMPLE), { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.constant<JsonObject>({ a: { b: [1] } }) },
);

const record = fc.record(
  {
    user_id: fc.constantFrom("a", "b", "ä"),
    level: fc.integer({ min: 1, max: 5 }),
    success: fc.boolean(),
    // Without numbers so small that they have fewer digits.
    response_time_ms: fc.oneof(fc.constant(0), fc.double({ min: 1e-6, max: 1e9, noNaN: true })),
    metadata: fc.option(
      fc.record(
        { tool: value, tokens: value, 'odd "key" \\': value },
        { requiredKeys: [] },
      ) as fc.Arbitrary<JsonObject>,
    ),
  },
  { requiredKeys: ["user_id", "level", "success", "response_time_ms"] },
);

const BREAKDOWNS: readonly (readonly [string, BreakdownOptions])[] = [
  ["tool", { numbers: ["tokens"] }],
  ["tokens", { limit: 2 }],
  ['odd "key" \\', { user_id: "a" }],
  ["tool", { since: "2026-03-29T01:30:00", until: "2026-03-30" }],
  ["tool", { until: "2026-03-29" }],
  ["none", { user_id: "nobody" }],
];

const LISTS: readonly ListOptions[] = [
  {},
  { order: "oldest", success: true },
  { user_id: "ä", where: { tool: "search" } },
  { where: { tokens: 1.5 } },
  { where: { tool: true } },
  { where: { tool: null, tokens: "" } },
  { since: "2026-03-29T01:30:00.001" },
];

async function every<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Without digits in which sums and percentiles are rounded differently. */
function rounded(found: unknown): unknown {
  return JSON.parse(
    JSON.stringify(found, (_, number: unknown) =>
      typeof number === "number" && !Number.isInteger(number) ? Number(number.toPrecision(12)) : number,
    ),
  );
}

describeWithPostgres("breakdowns and lists", (postgres) => {
  test.each(LAYOUTS)("equal those in SQLite: %s", async (_name, options) => {
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 12 }), async (records) => {
        using theirs = new MetricsCollector(":memory:", { clock });
        const ours = metricsIn(postgres.url, { ...options, schema: newSchema(), clock });
        theirs.recordMany(records);
        await ours.recordMany(records);
        for (const [key, asked] of BREAKDOWNS) {
          const expected = theirs.getBreakdown(key, asked);
          const found = await ours.getBreakdown(key, asked);
          expect(rounded(found), JSON.stringify([key, asked])).toEqual(rounded(expected));
        }
        for (const limits of [{}, { since: "2026-03-29T01:30:00" }, { until: "2026-03-29" }]) {
          const asked = { ...limits, percentiles: true };
          for (const user of ["a", "ä", "nobody", "\ud800"]) {
            expect(rounded(await ours.getUserStats(user, asked))).toEqual(rounded(theirs.getUserStats(user, asked)));
            expect(rounded(await ours.getUserTrend(user, asked))).toEqual(rounded(theirs.getUserTrend(user, asked)));
          }
          expect(rounded(await ours.getGlobalStats(asked))).toEqual(rounded(theirs.getGlobalStats(asked)));
          expect(rounded(await ours.getGlobalTrend(asked))).toEqual(rounded(theirs.getGlobalTrend(asked)));
        }
        for (const asked of LISTS)
          expect(await every(ours.listInteractions(asked)), JSON.stringify(asked)).toEqual([
            ...theirs.listInteractions(asked),
          ]);
      }),
      { numRuns: 15 },
    );
  });

  test("a list continues where a page ended, without rows that are recorded later", async () => {
    const metrics = metricsIn(postgres.url);
    await metrics.recordMany(
      Array.from({ length: 1200 }, (_, each) => ({ user_id: "a", level: 1, success: true, response_time_ms: each })),
    );
    for (const order of ["newest", "oldest"] as const) {
      const seen: number[] = [];
      for await (const { response_time_ms } of metrics.listInteractions({ order, user_id: "a" })) {
        if (seen.push(response_time_ms as number) === 1) await metrics.recordInteraction("a", 1, true, -1 + 0.5 + 0.5);
      }
      const expected = Array.from({ length: 1200 }, (_, each) => each);
      const rest = seen.filter((ms, index) => ms > 0 || index === (order === "newest" ? seen.length - 1 : 0));
      expect(order === "newest" ? rest.toReversed() : rest).toEqual(expected);
    }
  });

  test.each(["a\0", "\ud800"])("no row has the text %j, which PostgreSQL cannot store", async (text) => {
    const metrics = metricsIn(postgres.url);
    await metrics.recordMetric("\ufffd", true, 5, { tool: "\ufffd" });
    expect(await metrics.getBreakdown("tool", { user_id: text })).toEqual([]);
    expect(await every(metrics.listInteractions({ user_id: text }))).toEqual([]);
    expect(await every(metrics.listInteractions({ where: { tool: text } }))).toEqual([]);
    expect(await metrics.getUserStats(text, { percentiles: true })).toMatchObject({ total_operations: 0, p50: null });
  });

  test("a surrogate that another program stored alone hides its row only", async () => {
    const schema = newSchema();
    const metrics = metricsIn(postgres.url, { schema });
    for (let row = 0; row < 5; row += 1) await metrics.recordInteraction("a", 1, true, 5);
    const plain = otherProgram(postgres.url, schema);
    const ofUser = ON_CITUS ? ", user_id" : "";
    const texts = String.raw`'{"tool": "\ud800"}', '{"tool": "\ud83d\ude00"}', '{"tool": "\\ud800"}', '{"tool": "\ude00\ud83d"}', '{"tool": "x\udc00"}'`;
    await plain.query(`INSERT INTO interaction_metadata (interaction_id${ofUser}, metadata)
      SELECT id${ofUser}, (ARRAY[${texts}])[id]::json FROM interactions`);
    const found = await metrics.getBreakdown("tool");
    expect(found.map((row) => [row.value, row.total_operations])).toEqual([
      [null, 3],
      [String.raw`\ud800`, 1],
      ["😀", 1],
    ]);
    expect(await every(metrics.listInteractions({ where: { tool: "😀" } }))).toHaveLength(1);
  });

  test.each(LAYOUTS)("numbers beyond the range of a double are found as in SQLite: %s", async (_name, options) => {
    const texts = [
      "1e400",
      "-1e400",
      "1e-400",
      "1e300",
      "1.0e+300",
      "1e1000",
      "5e-324",
      "0",
      "12",
      `${"9".repeat(301)}`,
      `0.${"0".repeat(400)}1`,
    ];
    using theirs = new MetricsCollector(":memory:", { clock });
    const ours = metricsIn(postgres.url, { ...options, schema: newSchema(), clock });
    for (const text of texts)
      for (const metrics of [theirs, ours]) await metrics.recordMetric(text, true, 1, { size: rawNumber(text) });
    const ids = (rows: { id: number | bigint }[]): unknown[] => rows.map(({ id }) => id);
    for (const size of [0, 12, 1e300, 5e-324, Infinity, -Infinity, 1e21])
      expect(ids(await every(ours.listInteractions({ where: { size } }))), String(size)).toEqual(
        ids([...theirs.listInteractions({ where: { size } })]),
      );
    for (const user_id of texts) {
      const [expected] = theirs.getBreakdown("none", { user_id, numbers: ["size"] });
      const [found] = await ours.getBreakdown("none", { user_id, numbers: ["size"] });
      expect(found?.numbers, user_id).toEqual(expected?.numbers);
    }
  });

  test("text of other programs is not looked into", async () => {
    const schema = newSchema();
    const metrics = metricsIn(postgres.url, { schema });
    await metrics.recordInteraction("a", 1, true, 5);
    await metrics.recordInteraction("a", 1, false, 7);
    const plain = otherProgram(postgres.url, schema);
    const ofUser = ON_CITUS ? ", user_id" : "";
    await plain.query(String.raw`INSERT INTO interaction_metadata (interaction_id${ofUser}, metadata, metadata_raw)
      SELECT id${ofUser}, CASE id WHEN 1 THEN '{"tool": "a\u0000"}' ELSE 'null' END::json, CASE id WHEN 2 THEN '{"tool": NaN}' END FROM interactions`);
    expect(await metrics.getBreakdown("tool")).toMatchObject([{ value: null, total_operations: 2, p50: 6 }]);
    expect(await every(metrics.listInteractions({ where: { tool: "a" } }))).toEqual([]);
    const listed = await every(metrics.listInteractions({ where: { tool: null } }));
    expect(listed.map(({ metadata }) => metadata)).toEqual([null, { tool: "a\u0000" }]);
  });
});
