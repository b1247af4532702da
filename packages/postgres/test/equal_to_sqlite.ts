import { type InteractionRecord, type JsonObject, MetricsCollector } from "@perdura/v16";
import fc from "fast-check";
import { expect } from "vitest";
import { ANY_CHARACTER } from "../../../test/any_character.ts";
import type { PostgresMetricsOptions } from "../src/index.ts";
import { withoutMean } from "./counted_rows.ts";
import { metricsIn, newSchema } from "./elements.ts";

const clock = (): Date => new Date("2026-03-29T01:30:00Z");

const record: fc.Arbitrary<InteractionRecord> = fc.record(
  {
    user_id: fc.constantFrom("a", "b", "ä", "漢", "\u{1f600}"),
    level: fc.integer({ min: 1, max: 5 }),
    success: fc.boolean(),
    response_time_ms: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
    metadata: fc.option(
      fc.dictionary(fc.string({ unit: ANY_CHARACTER }), fc.jsonValue(), { maxKeys: 3 }) as fc.Arbitrary<JsonObject>,
    ),
  },
  { requiredKeys: ["user_id", "success", "response_time_ms"] },
);

/** Records by each of the methods. */
const STEPS = fc.array(
  fc.record({ way: fc.constantFrom("one", "many", "writer"), records: fc.array(record, { maxLength: 6 }) }),
  { maxLength: 6 },
);

/** Property: metrics in new tables of a layout equal those in SQLite, for each way to record. */
export const equalToSqlite = (
  url: () => string,
  layout: PostgresMetricsOptions,
  nameSchema: () => string = newSchema,
): fc.IAsyncProperty<unknown> =>
  fc.asyncProperty(STEPS, async (steps) => {
    const schema = nameSchema();
    const theirs = new MetricsCollector(":memory:", { clock });
    const ours = metricsIn(url(), { ...layout, schema, clock });
    for (const { way, records } of steps) {
      for (const each of records) theirs.recordMany([each]);
      if (way === "many") expect(await ours.recordMany(records)).toBe(records.length);
      for (const { user_id, level, success, response_time_ms, metadata } of way === "many" ? [] : records) {
        const writer = way === "writer" ? ours.writer() : ours;
        if (level === undefined || metadata !== undefined) {
          if (level === undefined) await writer.recordMetric(user_id, success, response_time_ms, metadata ?? null);
          else await ours.recordMany([{ user_id, level, success, response_time_ms, metadata }]);
        } else await writer.recordInteraction(user_id, level, success, response_time_ms);
      }
    }
    expect(await ours.getAllUsers()).toEqual(theirs.getAllUsers());
    expect(await ours.getGlobalStats()).toEqual(theirs.getGlobalStats());
    for (const user of ["a", "ä", "nobody"]) {
      const [one, other] = [await ours.getUserStats(user), theirs.getUserStats(user)];
      expect(withoutMean(one)).toEqual(withoutMean(other));
      expect(Math.abs(one.avg_response_time_ms - other.avg_response_time_ms)).toBeLessThanOrEqual(
        1e-12 * other.avg_response_time_ms,
      );
      expect(Object.keys(one)).toEqual(Object.keys(other));
    }
    await ours.close();
  });
