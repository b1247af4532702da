import fc from "fast-check";
import type { MigrationOptions, planMigration } from "../../src/index.ts";

/** A combination of decisions that `plan` recommends. */
export type Choice = Awaited<ReturnType<typeof planMigration>>["databases"][number]["pattern_choices"][number];

/** The options of a choice. */
export const optionsOf = ({
  non_finite: nonFinite,
  timestamps,
  pattern_ids: patternIds,
  invalid_rows: invalidRows,
}: Choice): MigrationOptions => ({
  nonFinite: nonFinite ?? undefined,
  timestamps: timestamps ?? undefined,
  patternIds: patternIds ?? undefined,
  invalidRows,
  saveReport: false,
});

/** Values of a field as JSON text; undefined if it is absent. */
const TIMES = [
  "null",
  '"2024-03-10T02:30:00"',
  '""',
  '"20240310T023000"',
  '"2024-03-10"',
  '"soon"',
  "NaN",
  "1710037800",
];
const COUNTS = ["0", "3", "1.0", "1E2", "NaN", "-Infinity", "2.5", '"3"', "1e400", "null"];
const TEXTS = ['"n"', "null", undefined, "NaN", "7", '"\\ud83d"'];
const IDS = ['""', "7", "7.50", "null", undefined, "NaN", '"a\\u0000"', '"\\udc00"', '"p0"', '"p1"', "[]", "true"];

const pattern = fc.record(
  {
    agent_id: fc.constantFrom('"a"', '"a"', '"b"', '""', "7", "null", undefined, '"a\\u0000"', "NaN"),
    pattern_type: fc.constantFrom(...TEXTS),
    name: fc.constantFrom('"é"', ...TEXTS),
    description: fc.constantFrom(...TEXTS),
    context: fc.constantFrom(
      '{"10":1,"2":1.0,"k":1,"k":2}',
      '{"x": NaN}',
      '{"x": [NaN, {"y/~": -Infinity}], "x": 1E5}',
      "NaN",
      "[]",
      "5",
      '{"__proto__": NaN}',
      `{"deep": ${"[".repeat(900)}NaN${"]".repeat(900)}}`,
    ),
    code: fc.constantFrom(...TEXTS),
    confidence: fc.constantFrom(...COUNTS),
    usage_count: fc.constantFrom(...COUNTS),
    tags: fc.constantFrom("[]", '["t"]', '["t", NaN]', "[Infinity]", "[1]", "NaN", '"t"', "[[NaN]]"),
    discovered_at: fc.constantFrom(...TIMES),
    last_used: fc.constantFrom(...TIMES),
    mine: fc.constantFrom("NaN", "1.50", '"NaN"'),
  },
  { requiredKeys: [] },
);

/** The text of a pattern. */
export const item = (fields: Record<string, string | undefined>): string => {
  const all = { agent_id: '"a"', pattern_type: '"t"', name: '"n"', ...fields };
  return `{${Object.entries(all)
    .flatMap(([name, text]) => (text === undefined ? [] : [`"${name}": ${text}`]))
    .join(",\n  ")}}`;
};

const nearlyAll = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  { weight: 3, arbitrary: pattern },
  { weight: 3, arbitrary: pattern.map((fields) => Object.fromEntries(Object.entries(fields).slice(0, 1))) },
);
const items = fc
  .array(fc.tuple(nearlyAll, fc.oneof(fc.constant("own"), fc.constant("own"), fc.constantFrom(...IDS))), {
    maxLength: 6,
  })
  .map((all) => all.map(([fields, id], index) => item({ id: id === "own" ? `"p${index}"` : id, ...fields })));
const contributions = fc.constantFrom(
  undefined,
  "null",
  "NaN",
  "{}",
  '{"a": ["p0", "", 7, "p1" , "p1"], "b": ["p0", null]}',
  '{"": ["p0"], "a\\u0000": ["p1"], "b": NaN}',
  '{"a": [NaN, "p0"], "7": [7], "a": ["p1", -Infinity]}',
  '{"a": 5, "b": "p0"}',
  "[]",
  '[NaN, {"a": Infinity}]',
  '{"a": {"p0": NaN}, "b": ["p1", ["p0", NaN], 1e400, -0]}',
  '{"": NaN, "": 5, "a": ["p1"], "": [["p0", NaN]]}',
  '{"a": {"p0": NaN}, "a": ["p0"], "b": [null, {"id": Infinity}]}',
);
const metadata = fc.constantFrom(
  undefined,
  "null",
  "NaN",
  "{}",
  '{"saved_at": 5, "pattern_count": NaN}',
  '{"saved_at": "20250120T150000", "version": "1.0"}',
  "5",
  '[NaN, {"version": -Infinity}]',
  '{"pattern_count": 2, "pattern_count": NaN, "version": "1.0"}',
);
const around = fc.constantFrom(undefined, "NaN", '{"mean": [Infinity, 1.0]}');
/** Documents that look like libraries, and whose values are anything that programs have written. */
export const documents = fc
  .tuple(
    items,
    contributions,
    metadata,
    around,
    fc.constantFrom("", "\ufeff"),
    fc.boolean(),
    fc.constantFrom(",", ",\r\n", " , "),
  )
  .map(([patterns, agents, meta, stats, mark, early, comma]) => {
    const members = [
      ...(early && agents !== undefined ? [`"agent_contributions":${agents}`] : []),
      `"patterns" : [ ${patterns.join(comma)}\t]`,
      ...(!early && agents !== undefined ? [`"agent_contributions" : ${agents}`] : []),
      ...(meta === undefined ? [] : [`"metadata": ${meta}`]),
      ...(stats === undefined ? [] : [`"stats":${stats}`]),
    ];
    return { text: `${mark}{${members.join(", ")} }\n`, patterns };
  });
