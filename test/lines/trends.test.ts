import Database from "better-sqlite3";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { describe, expect, test } from "vitest";
import { COLLECTORS, temporaryDatabase } from "./collectors.ts";

describe.for(COLLECTORS)("trends of the MetricsCollector of $name", ({ column, open }) => {
  test("have a row per period with interactions, with the trust at its end", () => {
    let now = "2026-01-30T23:59:59Z";
    using collector = open(temporaryDatabase(), { clock: () => new Date(now) });
    collector.recordInteraction("a", 3, true, 10);
    now = "2026-02-01T00:00:00Z";
    collector.recordInteraction("b", 5, true, 30);
    collector.recordInteraction("a", 3, false, 20);
    collector.recordInteraction("a", 4, true, 40);
    const levels = { level_1_count: 0, level_2_count: 0, level_3_count: 1, level_4_count: 0, level_5_count: 0 };
    expect(collector.getUserTrend("a")).toEqual([
      { period: "2026-01-30", total_operations: 1, success_rate: 1, avg_response_time_ms: 10, ...levels, trust: 0.55 },
      {
        period: "2026-02-01",
        total_operations: 2,
        success_rate: 0.5,
        avg_response_time_ms: 30,
        ...levels,
        level_4_count: 1,
        trust: 0.5,
      },
    ]);
    expect(collector.getGlobalTrend({ bucket: "month" })).toEqual([
      { period: "2026-01-01", total_operations: 1, success_rate: 1, avg_response_time_ms: 10, ...levels },
      {
        period: "2026-02-01",
        total_operations: 3,
        success_rate: 2 / 3,
        avg_response_time_ms: 30,
        ...levels,
        level_4_count: 1,
        level_5_count: 1,
      },
    ]);
    expect(collector.getUserTrend("a", { since: "2026-02-01" }).map(({ trust }) => trust)).toEqual([0.5]);
    expect(collector.getUserTrend("a", { until: "2026-02-01" }).map(({ trust }) => trust)).toEqual([0.55]);
    expect(collector.getUserTrend("nobody")).toEqual([]);
  });

  test("are empty for an empty database", () => {
    using collector = open(":memory:");
    expect(collector.getGlobalTrend({ bucket: "hour" })).toEqual([]);
  });

  test("include the rows of other programs at once", () => {
    const path = temporaryDatabase();
    using collector = open(path);
    const foreign = new Database(path);
    const insert = foreign.prepare(
      `INSERT INTO interactions (user_id, ${column}, success, timestamp) VALUES ('a', 1, 1, ?)`,
    );
    foreign.transaction(() => {
      for (let each = 0; each < 9000; each += 1) insert.run(`2026-01-0${1 + (each % 9)} 00:00:00`);
    })();
    const operations = (): number[] => collector.getGlobalTrend().map((period) => period.total_operations);
    expect(operations()).toEqual(Array.from({ length: 9 }, () => 1000));
    foreign.exec("DELETE FROM interactions WHERE timestamp < '2026-01-09'");
    foreign.exec("UPDATE interactions SET timestamp = '2026-03-01T12:00:00' WHERE id < 4500");
    expect(operations()).toEqual([501, 499]);
    insert.run("2026-03-01 00:00:00");
    expect(operations()).toEqual([501, 500]);
    foreign.close();
  });

  test("refuse wrong arguments by name", () => {
    using collector = open(temporaryDatabase());
    expect(() => collector.getUserTrend(5 as never)).toThrow(/^userId: /);
    expect(() => collector.getUserTrend("a", { bucket: "year" as "day" })).toThrow(/^bucket: /);
    expect(() => collector.getGlobalTrend({ until: "tomorrow" })).toThrow(/^until: /);
    expect(() => collector.getGlobalTrend({ untill: "2026" } as object)).toThrow(/^options: unknown option "untill"/);
  });
});

test.for([v15, v16])("openPersistence has trends, also without files", (line) => {
  using persistence = line.openPersistence({ persistence_enabled: false });
  persistence.metrics.recordInteraction("a", 2, false, 5);
  expect(persistence.metrics.getUserTrend("a").map(({ trust, level_2_count }) => [trust, level_2_count])).toEqual([
    [0.4, 1],
  ]);
});
