import { join } from "node:path";
import { MetricsCollector as Collector15 } from "@perdura/v15";
import { MetricsCollector } from "@perdura/v16";
import { describe, expect, it } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { summarizeData } from "../src/index.ts";
import { runProgram } from "./run_program.ts";

const DAY_MS = 86_400_000;

/** One operation: days after the first of May 2026, tool, success, milliseconds. */
type Operation = readonly [day: number, tool: string | undefined, success: boolean, ms: number];

/** A database with these operations of one user. */
function recorded(operations: readonly Operation[], line: "15" | "16" = "16"): string {
  const path = join(freshFolder(), "metrics.db");
  let day = 0;
  const clock = () => new Date(Date.UTC(2026, 4, 1, 12) + day * DAY_MS);
  const write = (record: (success: boolean, ms: number, metadata: { tool: string } | undefined) => void): void => {
    for (const [at, tool, success, ms] of operations) {
      day = at;
      record(success, ms, tool === undefined ? undefined : { tool });
    }
  };
  if (line === "15") {
    using collector = new Collector15(path, { clock });
    write((success, ms, metadata) => collector.recordMetric("alice", 3, success, ms, metadata));
  } else {
    using collector = new MetricsCollector(path, { clock });
    write((success, ms, metadata) => collector.recordMetric("alice", success, ms, metadata));
  }
  return path;
}

const times = (count: number, operation: Operation): Operation[] => Array.from({ length: count }, () => operation);

/** A week in which search was fast and browse worked, and one in which neither is so. */
const TWO_WEEKS: Operation[] = [
  ...times(30, [0, "search", true, 100]),
  ...times(30, [1, "browse", true, 50]),
  ...times(30, [7, "search", true, 300]),
  ...times(20, [8, "browse", true, 50]),
  ...times(10, [13, "browse", false, 50]),
];

const recentOf = async (path: string) => (await summarizeData(path)).databases[0]?.metrics?.recent;

describe.each(["15", "16"] as const)("recent days, line %s", (line) => {
  it("are the week that ends with the newest operation, and the week before", async () => {
    const { databases } = await summarizeData(recorded(TWO_WEEKS, line));
    const { recent, breakdowns } = databases[0]?.metrics ?? {};
    expect(recent).toEqual({
      days: 7,
      before_since: "2026-05-01",
      since: "2026-05-08",
      until: "2026-05-15",
      before: { total_operations: 60, success_rate: 1, avg_response_time_ms: 75, p95: 100 },
      now: { total_operations: 60, success_rate: 50 / 60, avg_response_time_ms: 175, p95: 300 },
    });
    expect(breakdowns?.[0]?.recent).toEqual([
      {
        value: "browse",
        before: { total_operations: 30, success_rate: 1, avg_response_time_ms: 50, p95: 50 },
        now: { total_operations: 30, success_rate: 20 / 30, avg_response_time_ms: 50, p95: 50 },
      },
      {
        value: "search",
        before: { total_operations: 30, success_rate: 1, avg_response_time_ms: 100, p95: 100 },
        now: { total_operations: 30, success_rate: 1, avg_response_time_ms: 300, p95: 300 },
      },
    ]);
  });
});

describe("recent days", () => {
  it("say which tool became slower, and which fails more", async () => {
    const { stdout } = await runProgram([recorded(TWO_WEEKS)]);
    expect(stdout).toContain("last 7 days: 60 operations, success 83.3 %, response 175 ms, p95 300 ms\n");
    expect(stdout).toContain("search (tool) is slower: p95 300 ms, before 100 ms.");
    expect(stdout).toContain("browse (tool) fails more: 33.3 %, before 0.0 %.");
    expect(stdout).not.toContain("browse (tool) is slower");
  });

  it("do not call a few operations slower", async () => {
    const rare: Operation[] = [...times(9, [0, "search", true, 100]), ...times(9, [7, "search", true, 900])];
    expect((await runProgram([recorded(rare)])).stdout).not.toContain("is slower");
  });

  it("are two days if all operations are within a week", async () => {
    const recent = await recentOf(recorded([...times(2, [0, "a", true, 1]), ...times(3, [1, "a", true, 1])]));
    expect(recent).toMatchObject({
      days: 1,
      before_since: "2026-05-01",
      since: "2026-05-02",
      before: { total_operations: 2 },
      now: { total_operations: 3 },
    });
  });

  it("are missing without operations in the period before", async () => {
    expect(await recentOf(recorded([[0, "a", true, 1]]))).toBeNull();
    expect(await recentOf(recorded([[0, "a", true, 1], [30, "a", true, 1]]))).toBeNull(); // prettier-ignore
  });

  it("do not end with an operation of the future", async () => {
    const path = recorded([...TWO_WEEKS, [365 * 200, "search", true, 1]]);
    expect(await recentOf(path)).toMatchObject({ since: "2026-05-08", now: { total_operations: 60 } });
  });

  it("have values without an operation in one of both periods", async () => {
    const path = recorded([...TWO_WEEKS, ...times(3, [10, "mail", true, 5]), ...times(2, [13, undefined, true, 5])]);
    const { databases } = await summarizeData(path);
    expect(databases[0]?.metrics?.breakdowns[0]?.recent?.slice(2)).toEqual([
      { value: "mail", before: null, now: expect.objectContaining({ total_operations: 3 }) as unknown },
      { value: null, before: null, now: expect.objectContaining({ total_operations: 2 }) as unknown },
    ]);
  });
});
