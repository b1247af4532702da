import { once } from "node:events";
import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { COLLECTORS, rowsOf, temporaryDatabase } from "./collectors.ts";
import { killAfter, start } from "./programs/run_program.ts";

describe.for(COLLECTORS)("the writer of the MetricsCollector of $name", ({ open, write }) => {
  test("stores all calls of one turn of the event loop in one transaction, in order, with ids and metadata", async () => {
    const path = temporaryDatabase();
    using collector = open(path);
    const writer = collector.writer();
    const ids = ["a", "b", "c"].map((user, index) => writer.recordInteraction(user, 3, true, index));
    const metric = write(writer, "a", false, 9, { tool: "search" });
    // Nothing is stored before the end of the turn.
    expect(rowsOf(path, "SELECT count(*) FROM interactions")).toEqual([[0]]);
    expect(await Promise.all(ids)).toEqual([1, 2, 3]);
    expect(rowsOf(path, "SELECT count(*) FROM interactions")).toEqual([[4]]);
    expect(await metric).toBeUndefined();
    expect(rowsOf(path, "SELECT interaction_id, metadata FROM interaction_metadata")).toEqual([
      [4, '{"tool":"search"}'],
    ]);
  });

  test("rejects only the call with an invalid argument", async () => {
    const path = temporaryDatabase();
    using collector = open(path);
    const writer = collector.writer();
    const [good, bad] = await Promise.allSettled([
      writer.recordInteraction("a", 3, true, 1),
      writer.recordInteraction("a", 6, true, 1),
    ]);
    expect(good).toEqual({ status: "fulfilled", value: 1 });
    expect(bad).toMatchObject({ status: "rejected", reason: { code: "PERDURA_VALIDATION" } });
  });

  test("does not block the event loop while another connection writes, and then stores everything", async () => {
    const path = temporaryDatabase();
    using collector = open(path);
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    const writer = collector.writer();
    let isStored = false;
    const call = writer.recordInteraction("a", 1, true, 1).then(() => (isStored = true));
    let turns = 0;
    for (; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    expect([turns, isStored]).toEqual([50, false]);
    const later = writer.recordInteraction("b", 1, true, 1);
    other.exec("COMMIT");
    other.close();
    await Promise.all([call, later]);
    expect(rowsOf(path, "SELECT user_id FROM interactions ORDER BY id")).toEqual([["a"], ["b"]]);
  });

  test("is flushed when its collector closes, and refuses later calls", async () => {
    const path = temporaryDatabase();
    const collector = open(path);
    const writer = collector.writer();
    const calls = [writer.recordInteraction("a", 1, true, 1), writer.recordInteraction("b", 1, true, 1)];
    collector.close();
    expect(rowsOf(path, "SELECT count(*) FROM interactions")).toEqual([[2]]);
    expect(await Promise.all(calls)).toEqual([1, 2]);
    await expect(writer.recordInteraction("c", 1, true, 1)).rejects.toMatchObject({ code: "PERDURA_CLOSED" });
  });

  test("closes once everything is stored, and leaves the collector open", async () => {
    using collector = open(temporaryDatabase());
    const writer = collector.writer();
    let isStored = false;
    void writer.recordInteraction("a", 1, true, 1).then(() => (isStored = true));
    await writer.close();
    expect(isStored).toBe(true);
    await expect(writer.recordInteraction("b", 1, true, 1)).rejects.toThrow("The writer was closed");
    expect(collector.recordInteraction("b", 1, true, 1)).toBe(2);
    await writer.close();
  });

  test("waits in close for rows that another connection's lock delays", async () => {
    const path = temporaryDatabase();
    using collector = open(path);
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    const writer = collector.writer();
    const call = writer.recordInteraction("a", 1, true, 1);
    let isClosed = false;
    const closed = writer.close().then(() => (isClosed = true));
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed).toBe(false);
    other.exec("COMMIT");
    other.close();
    await closed;
    expect(rowsOf(path, "SELECT user_id FROM interactions")).toEqual([["a"]]);
    expect(await call).toBe(1);
  });

  test("is flushed when its collector closes while another program writes all the time", async () => {
    const path = temporaryDatabase();
    const collector = open(path);
    const child = start("hold_lock.ts", path);
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout as NodeJS.ReadableStream, "data");
    const calls = ["a", "b"].map((user) => collector.writer().recordInteraction(user, 1, true, 1));
    collector.close();
    expect(rowsOf(path, "SELECT user_id FROM interactions ORDER BY id")).toEqual([["a"], ["b"]]);
    expect(await Promise.all(calls)).toEqual([1, 2]);
  });

  test("accepts rows that a clock records while rows are being stored", async () => {
    const path = temporaryDatabase();
    let inner: Promise<number> | undefined;
    using collector = open(path, {
      clock: () => {
        inner ??= collector.writer().recordInteraction("inner", 1, true, 1);
        return new Date(0);
      },
    });
    expect(await collector.writer().recordInteraction("outer", 1, true, 1)).toBe(1);
    expect(await inner).toBe(2);
  });

  test("keeps order and content for any mix of calls and turns", async () => {
    const turn = fc.array(fc.record({ user: fc.constantFrom("a", "b"), level: fc.integer({ min: 0, max: 6 }) }));
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 6 }), async (turns) => {
        using collector = open(":memory:");
        const writer = collector.writer();
        const calls: Promise<number | string>[] = [];
        for (const rows of turns) {
          for (const { user, level } of rows)
            calls.push(writer.recordInteraction(user, level, true, 1).catch(() => "refused"));
          await new Promise((resolve) => setImmediate(resolve));
        }
        let id = 0;
        const expected = turns.flat().map(({ level }) => (level >= 1 && level <= 5 ? (id += 1) : "refused"));
        expect(await Promise.all(calls)).toEqual(expected);
        expect(collector.getGlobalStats().total_interactions).toBe(id);
      }),
      { numRuns: 30 },
    );
  });
});

test("every row that a killed process acknowledged is stored, and only whole transactions", async () => {
  const path = temporaryDatabase();
  const last = Number(await killAfter(start("write_together.ts", path), 200));
  const [[stored]] = rowsOf(path, "SELECT count(*) FROM interactions") as [[number]];
  expect(stored).toBeGreaterThanOrEqual(last);
  expect(stored % 16).toBe(0);
});
