import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MetricsCollector as Collector15 } from "@perdura/v15";
import { MetricsCollector } from "@perdura/v16";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { json } from "./json_schema.ts";
import { runProgram } from "./run_program.ts";

/** Operations of two users on two days. */
function recorded(line: "15" | "16"): string {
  const path = join(freshFolder(), "metrics.db");
  let day = 1;
  const clock = () => new Date(Date.UTC(2026, 4, day, 12));
  using collector = line === "15" ? new Collector15(path, { clock }) : new MetricsCollector(path, { clock });
  collector.recordInteraction("alice", 3, true, 100);
  collector.recordInteraction("bob", 5, false, 9000);
  day = 2;
  collector.recordInteraction("alice", 4, false, 300);
  return path;
}

describe.each(["15", "16"] as const)("metrics user, line %s", (line) => {
  it("has the figures of one user, and the newest operations first", async () => {
    const path = recorded(line);
    expect(json(await runProgram(["metrics", "user", path, "alice", "--json"]))).toMatchObject({
      user_id: "alice",
      metrics: {
        users: 1,
        operations: 2,
        success_rate: 0.5,
        avg_response_time_ms: 200,
        percentiles: { p50: 200 },
        levels: [0, 0, 1, 1, 0],
        without_time: 0,
        trend: { periods: [{ total_operations: 1 }, { total_operations: 1, p95: 300 }] },
        recent: { days: 1, before: { total_operations: 1, p95: 100 }, now: { success_rate: 0, p95: 300 } },
        top_users: [{ user_id: "alice", trust: 0.45, current_level: 4 }],
      },
      interactions: [
        { id: 3, level: 4, success: false, response_time_ms: 300, timestamp: "2026-05-02 12:00:00" },
        { id: 1, level: 3, success: true },
      ],
    });
    const { code, stdout } = await runProgram(["metrics", "user", path, "alice", "--limit", "1"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ 3 {2}2026-05-02 12:00:00 {2}failed {4}300 ms {6}4 {2}-$/m);
    expect(stdout).not.toContain("2026-05-01 12:00:00  successful");
    expect(stdout).not.toContain("bob");
  });
});

describe("metrics user", () => {
  it("reads the layouts of older programs", async () => {
    const path = join(freshFolder(), "old.db");
    const database = new Sqlite(path);
    database.exec(`CREATE TABLE metrics (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, empathy_level INTEGER NOT NULL,
        success BOOLEAN NOT NULL, response_time_ms REAL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, metadata TEXT);
      INSERT INTO metrics (user_id, empathy_level, success, response_time_ms, timestamp, metadata)
        VALUES ('alice', 2, 1, 5, '2026-05-01 12:00:00', '{"tool":"search"}'), ('bob', 2, 1, 5, NULL, NULL);`);
    database.close();
    expect(json(await runProgram(["metrics", "user", path, "alice", "--json"]))).toMatchObject({
      metrics: { operations: 1, levels: [0, 1, 0, 0, 0] },
      interactions: [{ level: 2, metadata: { tool: "search" } }],
    });
    expect(json(await runProgram(["metrics", "user", path, "bob", "--json"]))).toMatchObject({
      metrics: { operations: 1, without_time: 1, recent: null },
      interactions: [{ timestamp: null, metadata: null }],
    });
  });

  it("writes a page with the operations", async () => {
    const path = recorded("16");
    const page = `${path}.html`;
    expect((await runProgram(["metrics", "user", path, "alice", "--html", page])).stdout).toBe(
      `2 operations of alice in ${path}. Wrote ${page}.\n`,
    );
    const html = readFileSync(page, "utf8");
    expect(html).toContain("<h3>Newest operations</h3>");
    expect(html).not.toContain("bob");
  });

  it("names a user without operations", async () => {
    const path = recorded("16");
    expect(await runProgram(["metrics", "user", path, "carol"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no operations of the user "carol".') as unknown,
    });
  });
});
