import { expect, test, vi } from "vitest";
import { daysRead } from "../../src/metrics/days_read.ts";
import { rowsOfDays } from "../../src/metrics/rollup/parts_sql.ts";
import { prepareReading } from "../../src/metrics/rollup/reading.ts";
import { ALWAYS } from "../../src/metrics/time_range.ts";
import type { Database } from "../../src/sqlite/open_database.ts";
import { addRows, asked, newPath } from "./databases.ts";

/** The steps of a query. */
function planOf(database: Database, sql: string): string[] {
  const named = Object.fromEntries([...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name, "x"]));
  const values = Array.from(sql.matchAll(/\?/g), () => 1);
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values, named) as { detail: string }[];
  return steps.map(({ detail }) => detail);
}

test("no query of the sums reads all interactions, or the whole index of their users", () => {
  const { database, rollup } = asked(newPath());
  addRows(database, 30);
  rollup.foldAll();
  const prepare = vi.spyOn(database, "prepare");
  const reading = prepareReading(database, "level", 2);
  for (const queries of [reading.ranges, reading.overviews]) expect(queries).toBeDefined();
  const queries = prepare.mock.calls.map(([sql]) => sql).filter((sql) => /^\s*(?:SELECT|WITH)/.test(sql));
  prepare.mockRestore();
  expect(queries.length).toBeGreaterThan(10);
  expect(queries.filter((sql) => planOf(database, sql).some((step) => step.startsWith("SCAN interactions")))).toEqual(
    [],
  );
});

test.each([1, 2] as const)(
  "the rows of divided days %i are read up to their last one, not up to the watermark",
  (which) => {
    const { database, rollup } = asked(newPath());
    addRows(database, 30);
    rollup.foldAll();
    const rows = `SELECT count(*) FROM interactions WHERE ${rowsOfDays({ table: "perdura_days", user: "" }, which)}`;
    const steps = database.prepare(`EXPLAIN ${rows}`).all(daysRead(ALWAYS)) as { opcode: string }[];
    // SQLite ends a search by one limit, and compares each id with any other one.
    expect(steps.filter(({ opcode }) => opcode === "Rowid").length).toBe(1);
  },
);

/** SQLite's code for a constraint whose failure undoes the statement alone. */
const ABORT = 2;

test.for(["interactions (user_id, level, success) VALUES ('a', 1, 1)", "interaction_metadata VALUES (1, '{}')"])(
  "SQLite prepares to undo no row alone: INSERT OR FAIL INTO %s",
  (into) => {
    const { database, rollup } = asked(newPath());
    addRows(database, 30);
    rollup.foldAll();
    const steps = database.prepare(`EXPLAIN INSERT OR FAIL INTO ${into}`).all() as { opcode: string; p2: number }[];
    expect(steps.filter(({ opcode }) => opcode === "Program").length).toBeGreaterThan(0);
    expect(steps.filter(({ opcode, p2 }) => opcode.startsWith("Halt") && p2 === ABORT)).toEqual([]);
  },
);
