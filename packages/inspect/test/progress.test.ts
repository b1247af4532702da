import { join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import Sqlite from "better-sqlite3";
import { expect, it } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { summarizeData } from "../src/index.ts";
import { runProgram } from "./run_program.ts";

/** Enough for several reports on any machine. */
const ROWS = 150_000;

it("reports the progress while the rows of a large database without sums are read", async () => {
  const path = join(freshFolder(), "metrics.db");
  new MetricsCollector(path).close();
  const other = new Sqlite(path);
  other.exec(`WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${ROWS})
    INSERT INTO interactions (user_id, level, success, response_time_ms, timestamp)
      SELECT 'user' || n % 50, 1, 1, n % 900, '2026-05-01 12:00:00' FROM counted`);
  other.close();
  const shown: (number | null)[] = [];
  await summarizeData(path, {
    onProgress: ({ path: of, done, total, unit }) => {
      expect([of, total, unit]).toEqual([path, ROWS, "rows"]);
      shown.push(done);
    },
  });
  expect(shown.length).toBeGreaterThan(0);
  expect(shown).toEqual(shown.toSorted((one, two) => Number(one) - Number(two)));
  const line = `${path}: inspect: reading the operations\n`;
  expect((await runProgram(["metrics", "users", path, "--limit", "1"])).stderr).toBe(line);
  expect((await runProgram([path, "--quiet"])).stderr).toBe("");
});
