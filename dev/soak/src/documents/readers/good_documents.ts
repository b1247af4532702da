import fc from "fast-check";

const text = fc.oneof(fc.string({ maxLength: 12 }), fc.string({ unit: "grapheme", maxLength: 8 }));
const id = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 10 });
const timestamp = fc.constantFrom("2026-01-31T10:00:00", "2024-02-29 23:59:59.999999", "0001-01-01T00:00:00.1");
const count = fc.oneof(fc.nat({ max: 100 }), fc.constant(Number.MAX_SAFE_INTEGER));

/** A pattern that both lines accept. */
const PATTERN = fc.record(
  {
    id,
    agent_id: id,
    pattern_type: text,
    name: text,
    description: fc.option(text),
    context: fc.option(fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })),
    code: fc.option(text),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    usage_count: count,
    success_count: count,
    failure_count: count,
    tags: fc.option(fc.array(text, { maxLength: 3 })),
    discovered_at: fc.option(timestamp),
    last_used: fc.option(timestamp),
  },
  { requiredKeys: ["id", "agent_id", "pattern_type", "name"] },
);

/** A pattern library as a document. */
export const LIBRARY: fc.Arbitrary<unknown> = fc.record(
  {
    patterns: fc.uniqueArray(PATTERN, { maxLength: 4, selector: (pattern) => pattern.id }),
    agent_contributions: fc.dictionary(id, fc.array(id, { maxLength: 3 }), { maxKeys: 3 }),
    metadata: fc.record({ version: fc.constant("1.0"), saved_at: timestamp, pattern_count: count }),
  },
  { requiredKeys: ["patterns"] },
);

/** A collaboration state as a document. */
export const STATE: fc.Arbitrary<unknown> = fc.record(
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
