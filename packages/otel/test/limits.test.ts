import { rmSync } from "node:fs";
import { join } from "node:path";
import { diag, DiagLogLevel } from "@opentelemetry/api";
import { PostgresMetricsCollector } from "@perdura/postgres";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { MetricsCollector } from "@perdura/v16";
import Database from "better-sqlite3";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { PerduraSpanProcessor } from "../src/index.ts";
import { rowsOf, toolSpan, tracerOf } from "./tracing.ts";

/** Warnings of OpenTelemetry's diagnostics during the test. */
function warnings(): string[] {
  const warned: string[] = [];
  const ignore = (): void => undefined;
  const warn = (message: string): void => void warned.push(message);
  const logger = { error: ignore, warn, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  onTestFinished(() => diag.disable());
  return warned;
}

test("a full queue drops the newest spans with a count, and takes further ones after a write", async () => {
  const warned = warnings();
  using metrics = new MetricsCollector(":memory:");
  const processor = new PerduraSpanProcessor(metrics, { maxQueueSize: 10, scheduledDelayMillis: 3_600_000 });
  const tracer = tracerOf(processor);
  for (let made = 0; made < 25; made += 1) toolSpan(tracer);
  expect(processor.counts).toEqual({ recorded: 0, waiting: 10, dropped: 15 });
  expect(warned).toEqual(["@perdura/otel: dropped 1 of the spans: the queue is full."]);
  await processor.forceFlush();
  toolSpan(tracer);
  await processor.forceFlush();
  expect(processor.counts).toEqual({ recorded: 11, waiting: 0, dropped: 15 });
  expect(metrics.getGlobalStats().total_interactions).toBe(11);
});

test("waiting spans are written after the delay, and at once when a transaction is full", async () => {
  using metrics = new MetricsCollector(":memory:");
  const soon = new PerduraSpanProcessor(metrics, { scheduledDelayMillis: 1 });
  toolSpan(tracerOf(soon));
  await expect.poll(() => soon.counts.recorded).toBe(1);
  const full = new PerduraSpanProcessor(metrics, { scheduledDelayMillis: 3_600_000 });
  const tracer = tracerOf(full);
  for (let made = 0; made < 512; made += 1) toolSpan(tracer);
  await expect.poll(() => full.counts.recorded).toBe(512);
});

test("rows are stored when forceFlush returns, before its promise resolves", () => {
  using metrics = new MetricsCollector(":memory:");
  const processor = new PerduraSpanProcessor(metrics);
  toolSpan(tracerOf(processor));
  void processor.forceFlush();
  expect(metrics.getGlobalStats().total_interactions).toBe(1);
});

test("spans after shutdown are dropped", async () => {
  using metrics = new MetricsCollector(":memory:");
  const processor = new PerduraSpanProcessor(metrics);
  const tracer = tracerOf(processor);
  toolSpan(tracer);
  await processor.shutdown();
  toolSpan(tracer);
  await processor.shutdown();
  expect(processor.counts).toEqual({ recorded: 1, waiting: 0, dropped: 1 });
});

test("a closed collector drops spans with a count, and nothing throws", async () => {
  const warned = warnings();
  const metrics = new MetricsCollector(":memory:");
  const processor = new PerduraSpanProcessor(metrics);
  toolSpan(tracerOf(processor));
  metrics.close();
  await processor.forceFlush();
  expect(processor.counts).toEqual({ recorded: 0, waiting: 0, dropped: 1 });
  expect(warned).toHaveLength(1);
  toolSpan(tracerOf(processor));
  await processor.shutdown();
  expect(processor.counts.dropped).toBe(2);
});

test("a database that was removed under the collector drops spans with a count, and nothing throws", async () => {
  const warned = warnings();
  const folder = freshFolder();
  const metrics = new MetricsCollector(join(folder, "metrics.db"));
  const processor = new PerduraSpanProcessor(metrics);
  toolSpan(tracerOf(processor));
  await processor.forceFlush();
  for (const name of ["metrics.db", "metrics.db-wal", "metrics.db-shm"]) rmSync(join(folder, name), { force: true });
  toolSpan(tracerOf(processor));
  await processor.shutdown();
  expect(processor.counts).toEqual({ recorded: 1, waiting: 0, dropped: 1 });
  expect(warned.length).toBeGreaterThan(0);
});

test("spans wait while another program holds the database, and are stored afterwards", async () => {
  const path = join(freshFolder(), "metrics.db");
  using metrics = new MetricsCollector(path, { busyTimeoutMs: 1 });
  const processor = new PerduraSpanProcessor(metrics, { scheduledDelayMillis: 1 });
  using other = closedAfterwards(new Database(path));
  other.database.exec("BEGIN IMMEDIATE");
  toolSpan(tracerOf(processor));
  await processor.forceFlush();
  expect(processor.counts).toEqual({ recorded: 0, waiting: 1, dropped: 0 });
  other.database.exec("ROLLBACK");
  await expect.poll(() => processor.counts.recorded).toBe(1);
  expect(await rowsOf(metrics)).toHaveLength(1);
});

const closedAfterwards = (database: Database.Database): { database: Database.Database; [Symbol.dispose](): void } => ({
  database,
  [Symbol.dispose]: () => void database.close(),
});

test("invalid users and levels, and functions that fail, drop their own span only", async () => {
  const warned = warnings();
  using metrics = new MetricsCollector(":memory:");
  const processor = new PerduraSpanProcessor(metrics, {
    user: ({ attributes }) => {
      if (attributes["user"] === "throw") throw new Error("my own fault");
      return attributes["user"] as string;
    },
    level: "level",
  });
  const tracer = tracerOf(processor);
  for (const user of ["throw", "", "a\0b", "\ud800", 7]) toolSpan(tracer, { user });
  for (const level of [0, 6, 1.5, "3"]) toolSpan(tracer, { user: "alice", level });
  toolSpan(tracer, { user: "alice" });
  await processor.forceFlush();
  expect(processor.counts).toEqual({ recorded: 1, waiting: 0, dropped: 9 });
  expect(warned).toHaveLength(1);
  expect(warned[0]).toContain("my own fault");
});

test("options that are not valid are refused by name", () => {
  using metrics = new MetricsCollector(":memory:");
  const refused = [
    { usr: "user.id" },
    { user: "" },
    { user: 7 },
    { level: null },
    { operations: "chat" },
    { operations: [7] },
    { maxQueueSize: 0 },
    { scheduledDelayMillis: -1 },
  ];
  for (const options of refused) {
    const argument = Object.keys(options)[0];
    expect(() => new PerduraSpanProcessor(metrics, options as never)).toThrowError(
      expect.objectContaining({ code: "PERDURA_VALIDATION", argument: argument === "usr" ? "options" : argument }),
    );
  }
  expect(() => new PerduraSpanProcessor({} as never)).toThrowError(expect.objectContaining({ argument: "collector" }));
});

describeWithPostgres("a read-only database of PostgreSQL", (postgres) => {
  test("keeps spans while the queue has room, and has them when it can be written again", async () => {
    const database = new URL(postgres.url).pathname.slice(1);
    const client = new Client(postgres.serverUrl);
    await client.connect();
    onTestFinished(() => client.end());
    const readOnly = (value: "on" | "off"): Promise<unknown> =>
      client.query(`ALTER DATABASE ${database} SET default_transaction_read_only = ${value}`);
    await using first = new PostgresMetricsCollector(postgres.url);
    await first.recordMetric("alice", true, 1);
    await readOnly("on");
    {
      await using metrics = new PostgresMetricsCollector(postgres.url);
      const processor = new PerduraSpanProcessor(metrics, { maxQueueSize: 2, scheduledDelayMillis: 3_600_000 });
      for (let made = 0; made < 3; made += 1) toolSpan(tracerOf(processor));
      await processor.forceFlush();
      expect(processor.counts).toEqual({ recorded: 0, waiting: 2, dropped: 1 });
      await processor.shutdown();
      expect(processor.counts).toEqual({ recorded: 0, waiting: 0, dropped: 3 });
    }
    await readOnly("off");
    await using metrics = new PostgresMetricsCollector(postgres.url);
    const processor = new PerduraSpanProcessor(metrics);
    toolSpan(tracerOf(processor));
    await processor.forceFlush();
    expect(processor.counts).toEqual({ recorded: 1, waiting: 0, dropped: 0 });
  });
});
