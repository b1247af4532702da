import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { expect, test } from "vitest";

test("a collector names the level as its records do", () => {
  using before = new v15.MetricsCollector(":memory:");
  using after = new v16.MetricsCollector(":memory:");
  expect([before.levelColumn, after.levelColumn]).toEqual(["empathy_level", "level"]);
  for (const collector of [before, after]) {
    const record = { user_id: "alice", success: true, response_time_ms: 1, [collector.levelColumn]: 4 };
    expect(collector.recordMany([record as never])).toBe(1);
    expect(collector.getUserStats("alice").current_level).toBe(4);
  }
});
