import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { PatternLibrary } from "@perdura/v16";
import { expect, onTestFinished, test } from "vitest";
import { asNewRole, metricsIn, newSchema, otherProgram, patternsIn } from "./elements.ts";
import { LAYOUTS } from "./layouts.ts";

/** Collects this process's warnings about a schema, until the test is over. */
function warningsAbout(schema: string): string[] {
  const heard: string[] = [];
  const hear = (warning: Error & { code?: string }): void => {
    if (warning.message.includes(schema.slice(-8)))
      heard.push(`${warning.code}: ${/sequence of \S.*?\.(\w+\.\w+) /.exec(warning.message)?.[1]}`);
  };
  process.on("warning", hear);
  onTestFinished(() => void process.off("warning", hear));
  return heard;
}

/** Rows with ids above their sequences, as after a failover to a server that got them by replication. */
const AHEAD = `INSERT INTO interactions (id, user_id, level, success)
  SELECT n, 'a', 1, true FROM generate_series(2, 3000) AS n`;

describeWithPostgres("sequences that are behind their tables", (postgres) => {
  test.for(LAYOUTS)("are advanced by the first interaction (%s)", async ([, layout]) => {
    const schema = newSchema();
    const metrics = metricsIn(postgres.url, { schema, ...layout });
    const warnings = warningsAbout(schema);
    expect(await metrics.recordInteraction("a", 1, true, 1)).toBe(1);
    const other = otherProgram(postgres.url, schema);
    const ways: (() => Promise<unknown>)[] = [
      () => metrics.recordInteraction("a", 1, true, 1),
      () => metrics.recordMetric("a", true, 1, { tool: "x" }),
      () => metrics.recordInteraction("a", 1, true, 1, { idempotencyKey: "k" }),
      () => metrics.recordMany([{ user_id: "a", success: true, response_time_ms: 1 }]),
      () => metrics.recordMany([{ user_id: "a", success: true, response_time_ms: 1 }], { idempotencyKey: "many" }),
      () => metrics.writer().recordMetric("a", true, 1),
    ];
    for (const [number, way] of ways.entries()) {
      await other.query("TRUNCATE interactions CASCADE; SELECT setval('interactions_id_seq', 1, false)");
      await other.query(`${AHEAD}; INSERT INTO interactions (id, user_id, level, success) VALUES (1, 'a', 1, true)`);
      await way();
      expect((await metrics.getGlobalStats()).total_interactions).toBe(3001);
      await way();
      expect(await metrics.recordInteraction("a", 1, true, 1)).toBeGreaterThan(3001);
      await expect.poll(() => warnings.length).toBe(number + 1);
    }
    expect(new Set(warnings)).toEqual(new Set(["PERDURA_COUNTER_BEHIND: interactions.id"]));
  });

  test("are advanced by concurrent programs", async () => {
    const schema = newSchema();
    const programs = Array.from({ length: 8 }, () => metricsIn(postgres.url, { schema }));
    await programs[0]?.recordInteraction("a", 1, true, 1);
    await otherProgram(postgres.url, schema).query(AHEAD);
    await Promise.all(programs.map((metrics, user) => metrics.recordInteraction(`u${user}`, 1, true, 1)));
    expect((await programs[0]?.getGlobalStats())?.total_interactions).toBe(3008);
  });

  test("are named if the role may not change them", async () => {
    const schema = newSchema();
    await metricsIn(postgres.url, { schema }).recordInteraction("a", 1, true, 1);
    const other = otherProgram(postgres.url, schema);
    await other.query(AHEAD);
    const url = await asNewRole(postgres.url, schema, other, "SELECT, INSERT", [
      "USAGE ON SEQUENCE interactions_id_seq",
    ]);
    const metrics = metricsIn(url, { schema });
    const error: unknown = await metrics.recordInteraction("a", 1, true, 1).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "PERDURA_STORAGE" });
    const [, advice = ""] = /Its owner can run: (SELECT .*)\. Nothing/.exec((error as Error).message) ?? [];
    await other.query(advice);
    expect(await metrics.recordInteraction("a", 1, true, 1)).toBe(3001);
    await metrics.close();
  });

  test("of patterns and usage are advanced too, and the order of the library is kept", async () => {
    const schema = newSchema();
    const patterns = patternsIn(postgres.url, { schema });
    const warnings = warningsAbout(schema);
    const library = new PatternLibrary();
    const add = (id: string): void => void library.contribute("a", { id, pattern_type: "t", name: id });
    for (const id of ["one", "two", "three"]) add(id);
    for (let use = 0; use < 3; use += 1) library.recordUsage("one", "a", true);
    await patterns.save(library);
    await otherProgram(postgres.url, schema).query(
      "SELECT setval('patterns_position_seq', 1, false), setval('pattern_usage_id_seq', 1, false)",
    );
    add("four");
    library.recordUsage("two", "a", false);
    expect(await patterns.save(library)).toMatchObject({ usageRows: 1 });
    expect([...(await patterns.load()).patterns.keys()]).toEqual(["one", "two", "three", "four"]);
    const another = new PatternLibrary();
    another.contribute("a", { id: "five", pattern_type: "t", name: "five" });
    await patterns.save(another);
    expect([...(await patterns.load()).patterns.keys()]).toEqual(["one", "two", "three", "four", "five"]);
    await expect.poll(() => warnings).toEqual(["PERDURA_COUNTER_BEHIND: pattern_usage.id"]);
  });
});
