import Database from "better-sqlite3";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { COLLECTORS, temporaryDatabase } from "./collectors.ts";

describe.for(COLLECTORS)("the MetricsCollector of $name", ({ open, record }) => {
  test.for([
    ["level", [0], /level: expected an integer from 1 to 5, got 0/],
    ["level", [6], /got 6/],
    ["level", [2.5], /got 2.5/],
    ["level", ["3"], /got "3"/],
    ["success", [3, 1], /success: expected a boolean, got 1/],
    ["time", [3, true, -1], /responseTimeMs: expected a finite number of milliseconds, 0 or more, got -1/],
    ["time", [3, true, Number.NaN], /got NaN/],
    ["time", [3, true, Number.POSITIVE_INFINITY], /got Infinity/],
    ["time", [3, true, "5"], /got "5"/],
  ] as const)("refuses an invalid %s (%j) and writes nothing", ([, given, reason]) => {
    using collector = open(temporaryDatabase());
    const [level, success = true, time = 1] = given as readonly [number, boolean?, number?];
    expect(() => collector.recordInteraction("u", level, success, time)).toThrow(reason);
    expect(collector.getGlobalStats().total_interactions).toBe(0);
  });

  test.for(["", "a\0", "\ud83d", 5, null])("records nothing for the user id %j", (user) => {
    using collector = open(temporaryDatabase());
    expect(() => collector.recordInteraction(user as string, 1, true, 1)).toThrow(/userId: expected text/);
    if (typeof user !== "string") expect(() => collector.getUserStats(user as never)).toThrow(/userId: expected text/);
  });

  test.for(["getGlobalStats", "getAllUsers", "getUserStats"] as const)(
    "refuses an argument that %s does not have",
    (method) => {
      using collector = open(":memory:");
      const call = collector[method].bind(collector) as (...given: unknown[]) => unknown;
      const own = { getGlobalStats: [{}], getAllUsers: [], getUserStats: ["u", {}] }[method];
      expect(() => call(...own, { since: "2026-01-01" })).toThrow(
        expect.objectContaining({ code: "PERDURA_VALIDATION", argument: "arguments" }),
      );
      if (method === "getAllUsers") return;
      expect(() => call(...own.slice(0, -1), { sinse: "2026-01-01" })).toThrow(/^options: unknown option "sinse"/);
    },
  );

  test("refuses metadata that JSON cannot hold and writes nothing", () => {
    using collector = open(temporaryDatabase());
    for (const [metadata, reason] of [
      [[], /metadata: expected an object/],
      [{ a: Number.NaN }, /\/a/],
      [{ a: new Date() }, /\/a/],
    ] as const) {
      expect(() => record(collector, "u", true, 1, metadata as never)).toThrow(reason);
    }
    expect(collector.getGlobalStats().total_interactions).toBe(0);
  });

  test("refuses files that are not databases and missing directories, without changing or creating them", () => {
    const directory = freshFolder();
    const text = join(directory, "text.db");
    writeFileSync(text, "plain text ".repeat(100));
    expect(() => open(text)).toThrow(expect.objectContaining({ name: "CorruptDataError", path: text }));
    expect(readFileSync(text, "utf8")).toBe("plain text ".repeat(100));
    expect(() => open(join(directory, "no", "metrics.db"))).toThrow(
      expect.objectContaining({ name: "FileNotFoundError" }),
    );
    expect(() => open(directory)).toThrow(/is a directory/);
    expect(existsSync(join(directory, "no"))).toBe(false);
  });

  test("refuses unknown and invalid options", () => {
    const path = temporaryDatabase();
    expect(() => open(path, { durabilty: "full" } as never)).toThrow(
      /^options: unknown option "durabilty"; expected one of durability, busyTimeoutMs, clock/,
    );
    expect(() => open(path, { durability: "fast" } as never)).toThrow(
      /durability: expected "full" or "normal", got "fast"/,
    );
    for (const unfit of [-1, 0.5, 0x80000000, "5"])
      expect(() => open(path, { busyTimeoutMs: unfit as number })).toThrow(
        /^busyTimeoutMs: expected a whole number of milliseconds, 0 or more, got/,
      );
    expect(() => open(path, { clock: 5 } as never)).toThrow(/^clock: expected a function/);
    expect(existsSync(path)).toBe(false);
  });

  test("waits only for busyTimeoutMs if another connection writes to a database without a write-ahead log", () => {
    const path = temporaryDatabase();
    const holder = new Database(path);
    holder.exec("CREATE TABLE other (x); BEGIN IMMEDIATE");
    const start = performance.now();
    expect(() => open(path, { busyTimeoutMs: 20 })).toThrow(expect.objectContaining({ code: "PERDURA_BUSY", path }));
    // By default it would wait for half a minute.
    expect(performance.now() - start).toBeLessThan(15_000);
    holder.close();
    open(path, { busyTimeoutMs: 20 }).close();
  });

  test.for([0, 0x7fffffff])("accepts a busyTimeoutMs of %d", (busyTimeoutMs) => {
    using collector = open(temporaryDatabase(), { busyTimeoutMs });
    expect(collector.recordInteraction("u", 1, true, 1)).toBe(1);
  });
});
