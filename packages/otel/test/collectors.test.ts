import { join } from "node:path";
import { PostgresMetricsCollector } from "@perdura/postgres";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { expect, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { PerduraSpanProcessor, type SpanCollector } from "../src/index.ts";
import { rowsOf, toolSpan, tracerOf } from "./tracing.ts";

type Collector = SpanCollector & Parameters<typeof rowsOf>[0];

/** Records one span at level 3 and one without a level; returns the stored levels. */
async function levelsIn(collector: Collector): Promise<(number | undefined)[]> {
  const processor = new PerduraSpanProcessor(collector, { level: "level" });
  toolSpan(tracerOf(processor), { level: 3, "user.id": "alice" });
  toolSpan(tracerOf(processor), { "user.id": "alice" });
  await processor.shutdown();
  expect(processor.counts).toEqual({ recorded: 2, waiting: 0, dropped: 0 });
  return (await rowsOf(collector)).map(({ level, empathy_level }) => level ?? empathy_level);
}

test("a collector before version 16 gets the level under its name, and 1 without a level", async () => {
  using metrics = new v15.MetricsCollector(join(freshFolder(), "metrics.db"));
  expect(metrics.levelColumn).toBe("empathy_level");
  expect(await levelsIn(metrics)).toEqual([3, 1]);
});

test("a collector of version 16 repeats the user's level", async () => {
  using metrics = new v16.MetricsCollector(join(freshFolder(), "metrics.db"));
  expect(metrics.levelColumn).toBe("level");
  expect(await levelsIn(metrics)).toEqual([3, 3]);
});

test("the metrics of openPersistenceAsync take spans", async () => {
  const persistence = await v16.openPersistenceAsync({ persistence_path: freshFolder() });
  expect(await levelsIn(persistence.metrics)).toEqual([3, 3]);
  await persistence.close();
});

describeWithPostgres("PostgreSQL", (postgres) => {
  test("a collector in PostgreSQL takes spans", async () => {
    await using metrics = new PostgresMetricsCollector(postgres.url);
    expect(await levelsIn(metrics)).toEqual([3, 3]);
  });
});
