import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { checkFile } from "@perdura/conformance";
import { openMetrics } from "@perdura/internals/metrics/open_metrics.js";
import { makeSums } from "@perdura/internals/metrics/rollup/make_sums.js";
import type { LevelColumn } from "@perdura/internals/metrics/schema.js";
import { COLLECTORS, rowsOf, temporaryDatabase } from "./collectors.ts";

const KEYS = { keys: ["tool"], numbers: ["tokens"] };

/** More rows than percentiles are exact for, so that sums answer. */
const MANY = 110_000;

/** Adds all rows to the sums, as `perdura-migrate sums` does. */
function fold(path: string, column: LevelColumn): void {
  const database = openMetrics(path, column, {});
  for (const _ of makeSums(database, column, 10_000));
  database.close();
  expect(rowsOf(path, "SELECT watermark = (SELECT max(id) FROM interactions) FROM perdura_summed_keys")).toEqual([[1]]);
}

describe.each(COLLECTORS)("declared keys of $name", ({ open, column }) => {
  const records = (count: number, user: string, tool: string) =>
    (function* () {
      for (let each = 0; each < count; each += 1) {
        const metadata = { tool: each % 3 === 0 ? tool : "search", tokens: each % 7 };
        const success = each % 4 > 0;
        yield { user_id: user, [column]: 2, success, response_time_ms: each % 1000, metadata } as never;
      }
    })();

  test("are remembered, and answered from sums as from the rows", () => {
    const path = temporaryDatabase();
    using plain = open(temporaryDatabase(), { durability: "normal" });
    {
      using declaring = open(path, { durability: "normal", breakdown: KEYS });
      for (const collector of [declaring, plain]) collector.recordMany(records(MANY, "alice", "fetch"));
    }
    using collector = open(path);
    fold(path, column);
    for (const options of [{ numbers: ["tokens"] }, { user_id: "alice" }, { since: "2020-01-01" }, { limit: 1 }])
      expect(collector.getBreakdown("tool", options)).toEqual(plain.getBreakdown("tool", options));
    const program = new Database(path);
    onTestFinished(() => void program.close());
    // The sums answer, not the rows.
    program.exec("UPDATE perdura_value_days SET sums = json_set(sums, '$[1]', 0)");
    expect(collector.getBreakdown("tool").map((row) => row.success_rate)).toEqual([0, 0]);
    expect(collector.getBreakdown("tool", { numbers: ["other"] })[0]?.success_rate).toBeCloseTo(0.75, 3);
  });

  test("leave nothing of an erased user", () => {
    const path = temporaryDatabase();
    using collector = open(path, { durability: "normal", breakdown: KEYS });
    collector.recordMany(records(5000, "alice", "fetch"));
    collector.recordMany(records(600, "secret-user", "secret-tool"));
    fold(path, column);
    expect(rowsOf(path, "SELECT operations FROM perdura_key_values WHERE name = 'text:secret-tool'")).toEqual([[200]]);
    collector.forgetUser("secret-user", { erase: true });
    for (const name of readdirSync(dirname(path)))
      expect(readFileSync(join(dirname(path), name)).includes("secret-")).toBe(false);
    expect(collector.getBreakdown("tool").map(({ value }) => value)).toEqual(["search", "fetch"]);
  });

  test("do not disturb other programs, and the file conforms", () => {
    const path = temporaryDatabase();
    using collector = open(path, { durability: "normal", breakdown: KEYS });
    collector.recordMany(records(5000, "alice", "fetch"));
    fold(path, column);
    const program = new Database(path);
    onTestFinished(() => void program.close());
    program.exec(`INSERT INTO interactions (user_id, ${column}, success, response_time_ms) VALUES ('bob', 1, 1, 5);
      UPDATE interaction_metadata SET metadata = '{"tool": "mail"}' WHERE interaction_id <= 100;
      DELETE FROM interaction_metadata WHERE interaction_id = 4000; DELETE FROM interactions WHERE id = 3000`);
    const found = Object.fromEntries(collector.getBreakdown("tool").map((row) => [row.value, row.total_operations]));
    const counted = rowsOf(
      path,
      "SELECT metadata ->> 'tool', count(*) FROM interactions LEFT JOIN interaction_metadata ON interaction_id = id GROUP BY 1",
    ) as [string | null, number][];
    expect(found).toEqual(Object.fromEntries(counted));
    expect(checkFile(path).conforms).toBe(true);
  });

  test.each([
    [{ breakdown: { keys: "tool" } }, /^breakdown\.keys: expected an array of keys, got "tool"/],
    [{ breakdown: { keys: [""] } }, /^breakdown\.keys: expected text that is not empty/],
    [{ breakdown: { key: ["tool"] } }, /^breakdown: unknown option "key"/],
    [{ breakdown: { numbers: [5] } }, /^breakdown\.numbers: expected text, got 5/],
    [
      { breakdown: { keys: Array.from({ length: 21 }, (_, each) => `key ${each}`) } },
      /^breakdown: a database can have 20 declared keys/,
    ],
  ])("refuses %j", (options, message) => {
    const path = temporaryDatabase();
    open(path).close();
    const before = readFileSync(path);
    expect(() => open(path, options as never)).toThrow(message);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("are refused where the name of their table is taken", () => {
    const path = temporaryDatabase();
    open(path).close();
    const program = new Database(path);
    program.exec("CREATE TABLE Perdura_Declared_Keys (mine)");
    program.close();
    expect(() => open(path, { breakdown: KEYS })).toThrow(/"perdura_declared_keys" is not a table of perdura/);
    open(path).close();
  });
});
