import fc from "fast-check";
import type { Database } from "../../src/sqlite/open_database.ts";

/** An interaction. */
export interface Row {
  user: string;
  success: boolean;
  ms: number | null;
  level: number;
  /** Seconds since 1970. */
  seconds: number;
}

export const FIRST: number = Date.UTC(2024, 11, 28) / 1000;
const row: fc.Arbitrary<Row> = fc.record({
  user: fc.constantFrom("a", "b"),
  success: fc.boolean(),
  ms: fc.option(fc.integer({ min: 0, max: 999 })),
  level: fc.integer({ min: 1, max: 5 }),
  // Ten days around the end of a year, a month and a week.
  seconds: fc.integer({ min: FIRST, max: FIRST + 10 * 86_400 }),
});
/** A moment in seconds since 1970, or none. */
export const limit: fc.Arbitrary<number | undefined> = fc.option(fc.integer({ min: FIRST, max: FIRST + 10 * 86_400 }), {
  nil: undefined,
});

/** Mostly in order of time, as programs record, with some rows that come late. */
export const rows: fc.Arbitrary<Row[]> = fc
  .tuple(fc.array(row, { maxLength: 60 }), fc.array(row, { maxLength: 4 }))
  .map(([ordered, late]) => [...ordered.toSorted((one, other) => one.seconds - other.seconds), ...late]);

export const moment = (seconds: number | undefined): Date | undefined =>
  seconds === undefined ? undefined : new Date(seconds * 1000);

export function insert(database: Database, all: readonly Row[]): void {
  const statement = database.prepare(
    "INSERT INTO interactions (user_id, level, success, response_time_ms, timestamp) VALUES (?, ?, ?, ?, datetime(?, 'unixepoch'))",
  );
  for (const { user, level, success, ms, seconds } of all) statement.run(user, level, success ? 1 : 0, ms, seconds);
}
