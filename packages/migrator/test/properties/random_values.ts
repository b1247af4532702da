import fc from "fast-check";

/** Values that a program could have stored in any column, as SQL literals. */
const anyLiteral: fc.Arbitrary<string> = fc.oneof(
  fc.integer({ min: -2, max: 8 }).map(String),
  fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value.toExponential(16)),
  fc.constantFrom("9e999", "-9e999", "0.0", "-0.0", "'yes'", "''", "'3'", "' 3'", "'NaN'", "x''", "x'00ff'"),
  fc.constantFrom("CAST(x'ff80' AS TEXT)", "'a' || char(0) || 'b'", '\'{"x": NaN, "n": 1180591620717411303424}\''),
  fc
    .string({ unit: "grapheme", maxLength: 12 })
    .map((text) => `'${text.toWellFormed().replaceAll("\0", "").replaceAll("'", "''")}'`),
);

const mostly = (usual: fc.Arbitrary<string>, weight = 5): fc.Arbitrary<string> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: anyLiteral });

/** A row of a metrics table by column; most are valid. */
export type RandomRow = Record<
  "id" | "user_id" | "empathy_level" | "success" | "response_time_ms" | "timestamp" | "metadata",
  string
>;

const id = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 60 }).map(BigInt) },
  { weight: 1, arbitrary: fc.bigInt({ min: -5n, max: 2n ** 53n - 100n }) },
);

/** Rows of a metrics table with unique ids. */
export const randomRows: fc.Arbitrary<RandomRow[]> = fc
  .uniqueArray(id, { maxLength: 14 })
  .chain((ids) => fc.tuple(...ids.map((one) => rowWith(String(one)))));

function rowWith(one: string): fc.Arbitrary<RandomRow> {
  return fc.record({
    id: fc.constant(one),
    user_id: mostly(fc.constantFrom("'alice'", "'Alice'", "'bob '", "'o''brien'"), 9),
    empathy_level: mostly(fc.integer({ min: 1, max: 5 }).map(String), 9),
    success: mostly(fc.constantFrom("0", "1")),
    response_time_ms: mostly(fc.constantFrom("NULL", "12.5", "0", "1e300")),
    timestamp: mostly(
      fc.constantFrom("NULL", "'2025-10-20 12:00:00'", "'2026-01-01 00:00:00'", "'2024-02-29T00:00:00'"),
    ),
    metadata: mostly(fc.constantFrom("NULL", "NULL", "'{\"a\": 1.0}'", "'not JSON'")),
  });
}
