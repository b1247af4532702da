import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { finished, killAfter, start } from "./programs/run_program.ts";
import { COLLECTORS, rowsOf, temporaryDatabase } from "./collectors.ts";

const ROWS = 30_000;
const IDS = ["anna@example.com", "ben@example.com", "carla@example.com"];

describe.each(COLLECTORS)("a process of $name that deletes", ({ name, open, column }) => {
  /** A database with sums: a day has a thousand rows. */
  function manyRows(): string {
    const path = temporaryDatabase();
    let now = new Date(0);
    using collector = open(path, { durability: "normal", clock: () => now });
    function* rows(): Generator<never> {
      for (let each = 0; each < ROWS; each += 1) {
        now = new Date(Date.UTC(2026, 0, 1 + each / 1000));
        const row = { user_id: IDS[each % 3], [column]: 1 + (each % 5), success: each % 4 > 0, response_time_ms: each };
        yield { ...row, metadata: { of: IDS[each % 3], each } } as never;
      }
    }
    collector.recordMany(rows());
    for (let each = 0; each < 40; each += 1) collector.getGlobalStats();
    expect(rowsOf(path, "SELECT operations > 0 FROM perdura_rollup")).toEqual([[1]]);
    return path;
  }

  const orphans = (path: string): unknown[] =>
    rowsOf(path, "SELECT 1 FROM interaction_metadata WHERE interaction_id NOT IN (SELECT id FROM interactions)");

  test.each([1, 3])("may be killed after step %d, and repeats the call for the rest", async (steps) => {
    const path = manyRows();
    const [user] = IDS as [string];
    const done = Number(await killAfter(start("delete_rows.ts", name, path, "forget", user, "erase"), steps));
    expect(done).toBeGreaterThan(0);
    expect(orphans(path)).toEqual([]);
    using collector = open(path);
    const left = collector.getUserStats(user).total_operations;
    expect(left).toBeLessThanOrEqual(ROWS / 3 - done);
    expect(collector.getGlobalStats().total_interactions).toBe((2 * ROWS) / 3 + left);
    expect(collector.forgetUser(user, { erase: true })).toEqual({ interactions: left, metadata: left });
    expect(collector.getGlobalStats()).toMatchObject({ total_users: 2, total_interactions: (2 * ROWS) / 3 });
    const folder = dirname(path);
    expect(readdirSync(folder).filter((file) => readFileSync(join(folder, file)).includes(user))).toEqual([]);
  });

  test("lets another process record meanwhile, and deletes none of its rows", async () => {
    const path = manyRows();
    const recorded = finished(start("record_rows.ts", name, path, "writer", "200"));
    await finished(start("delete_rows.ts", name, path, "before", "2026-01-21"));
    await recorded;
    using collector = open(path);
    expect(collector.getUserStats("writer").total_operations).toBe(200);
    expect(collector.getGlobalStats().total_interactions).toBe(10_000 + 200);
    expect(orphans(path)).toEqual([]);
  });
});
