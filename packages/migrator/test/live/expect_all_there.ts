import { expect } from "vitest";
import type { MigrationOptions, MigrationReport } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { query } from "../../../../test/legacy/legacy_database.ts";
import type { Writer } from "./writer.ts";

/**
 * Checks that every recorded row is in the database exactly once, with its level.
 *
 * @param writers By the name of the user that each records for.
 * @param level The level of the row of a number.
 */
export function expectAllThere(
  path: string,
  writers: Record<string, Writer>,
  level: (number: number) => number = (number) => (number % 5) + 1,
): void {
  for (const [name, { recorded }] of Object.entries(writers)) {
    const rows = query<[number, bigint, bigint]>(
      path,
      `SELECT response_time_ms, level, count(*) FROM interactions WHERE user_id = '${name}' GROUP BY 1, 2`,
    );
    const found = new Map(rows.map(([time, own, count]) => [time * 8, { level: Number(own), count: Number(count) }]));
    expect(rows.length, `rows of ${name} with two levels`).toBe(found.size);
    const missed = recorded.filter((number) => found.get(number)?.count !== 1);
    expect(missed, `rows of ${name} that are not there once`).toEqual([]);
    expect(recorded.filter((number) => found.get(number)?.level !== level(number))).toEqual([]);
    // At most one more: the row in progress when the program failed.
    expect(found.size - recorded.length).toBeLessThanOrEqual(1);
  }
}

/** Migrates, and retries while the database is in use. */
export async function migrateWhenFree(path: string, options: MigrationOptions = {}): Promise<MigrationReport> {
  for (let attempt = 1; ; attempt += 1) {
    const report = await migrate(path, { busyTimeoutMs: 30_000, ...options });
    if (report.exit_code !== 5 || attempt === 100) return report;
  }
}
