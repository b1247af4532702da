import fc from "fast-check";
import { PATTERN } from "../random_library.ts";
import type { Chance } from "./chance.ts";
import { bytesOf } from "./hostile_bytes.ts";
import { nearly } from "./hostile_values.ts";

const id = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 10 });
const timestamp = fc.constantFrom("2026-01-31T10:00:00", "2024-02-29 23:59:59.999999", "0001-01-01T00:00:00.1");
const count = fc.oneof(fc.nat({ max: 100 }), fc.constant(Number.MAX_SAFE_INTEGER));

const pattern = fc.record(PATTERN, { requiredKeys: ["id", "agent_id", "pattern_type", "name"] });

/** A pattern library as a document: other members may be before the patterns or after them. */
export const LIBRARY: fc.Arbitrary<object> = fc
  .record({
    library: fc.record(
      {
        patterns: fc.uniqueArray(pattern, { maxLength: 4, selector: (one) => one.id }),
        agent_contributions: fc.dictionary(id, fc.array(id, { maxLength: 3 }), { maxKeys: 3 }),
        metadata: fc.record({ version: fc.constant("1.0"), saved_at: timestamp, pattern_count: count }),
      },
      { requiredKeys: ["patterns"] },
    ),
    others: fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 }),
    last: fc.boolean(),
  })
  .map(({ library, others, last }) => (last ? { ...library, ...others } : { ...others, ...library }));

/** A collaboration state as a document. */
export const STATE: fc.Arbitrary<object> = fc.record(
  {
    user_id: id,
    trust_level: fc.double({ min: 0, max: 1, noNaN: true }),
    current_level: fc.integer({ min: 1, max: 5 }),
    target_level: fc.integer({ min: 1, max: 5 }),
    interaction_count: count,
    success_count: count,
    failure_count: count,
    last_interaction: fc.option(timestamp),
    created_at: fc.option(timestamp),
    notes: fc.jsonValue({ maxDepth: 2 }),
  },
  { requiredKeys: ["user_id", "trust_level"] },
);

/** Bytes of a good document, in most cases with some unexpected values or changed bytes. */
export function hostileDocument(good: unknown, chance: Chance): Buffer {
  return bytesOf(nearly(good, chance, chance.pick([0, 1, 1, 2, 4])), chance);
}
