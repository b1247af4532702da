import { rawNumber } from "@perdura/internals/json/values.js";
import fc from "fast-check";

const rawNumbers = ["12345678901234567890", "1e400", "-1E-400", "0.1000000000000000055511151231257827", "1.5"].map(
  rawNumber,
);

const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom("", "é", "\ud800", "𝄞", "\ufeff", "}, {", '"id"', "\n    },\n    {", "12345678901234567890", "\\"),
);

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  text,
  fc.constantFrom<unknown>(-0, [], {}, 5e-324, 0.1 + 0.2, 2 ** 53, "2025-02-29T00:00:00", "2025-01-01", ...rawNumbers),
  fc.dictionary(fc.oneof(text, fc.constantFrom("__proto__", "id", "patterns", "\n")), fc.jsonValue({ maxDepth: 1 })),
);

/** A value of the right type in nearly all cases. */
const mostly = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 150, arbitrary: right }, { weight: 1, arbitrary: anything });

const identifier = fc.stringMatching(/^[a-z]{1,3}[0-9]{4}[\u00e9\u{1d11e}]?$/u);
const id = mostly(identifier);
const timestamp = mostly(fc.constantFrom(null, "2025-01-15T10:30:00.123456", "2024-02-29 23:59:59"));
const count = mostly(fc.oneof(fc.nat(), fc.constantFrom<unknown>(null, -0, 2 ** 53 - 1)));

const pattern = fc.oneof(
  {
    weight: 150,
    arbitrary: fc.record(
      {
        id,
        agent_id: id,
        pattern_type: mostly(text),
        name: mostly(text),
        description: mostly(fc.option(text)),
        context: mostly(fc.option(fc.dictionary(text, anything, { maxKeys: 3 }))),
        code: mostly(fc.option(text)),
        confidence: mostly(
          fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(...rawNumbers)),
        ),
        usage_count: count,
        success_count: count,
        failure_count: count,
        tags: mostly(fc.option(fc.array(text, { maxLength: 3 }))),
        discovered_at: timestamp,
        last_used: timestamp,
      },
      { requiredKeys: ["id", "agent_id", "pattern_type", "name"] },
    ),
  },
  { weight: 1, arbitrary: anything },
);
const patternList = fc.uniqueArray(pattern, { maxLength: 6, selector: (one) => (one as { id?: unknown } | null)?.id });

const member = fc.oneof(
  fc.tuple(fc.constant("patterns"), mostly(patternList)),
  fc.tuple(
    fc.constant("agent_contributions"),
    mostly(fc.option(fc.dictionary(identifier, mostly(fc.array(id, { maxLength: 3 }))))),
  ),
  fc.tuple(
    fc.constant("metadata"),
    mostly(
      fc.record(
        { version: mostly(fc.constantFrom("1.0", "1.0", "1.7", "2.0")), saved_at: timestamp },
        { requiredKeys: [] },
      ),
    ),
  ),
  fc.tuple(text, anything),
);

const write = (value: unknown, indent: string): string => JSON.stringify(value, null, indent) as string;

/** Documents that other programs may write: any order, names twice or with escapes, any layout. */
const documentText = fc
  .tuple(
    fc.tuple(
      fc.constant("patterns"),
      fc.oneof({ weight: 9, arbitrary: patternList }, { weight: 1, arbitrary: fc.array(pattern) }),
    ),
    fc.array(member, { maxLength: 4 }),
    fc.nat(4),
    fc.constantFrom("", " ", "  ", "\t"),
    fc.constantFrom("", "\ufeff", " \r\n"),
    fc.boolean(),
  )
  .map(([patterns, others, place, indent, before, escaped]) => {
    const members = others.toSpliced(place, 0, patterns).map(([name, value]) => {
      const quoted = write(name, "");
      return `${escaped ? quoted.replace("a", "\\u0061") : quoted}${indent}:${indent}${write(value, indent)}`;
    });
    const end = indent === "" ? "" : `\r\n${indent}`;
    return `${before}{${end}${members.join(`,${end}`)}${end}}${end}`;
  });

const fragment = fc
  .oneof(
    fc.constantFrom(
      "",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "\\",
      "\n",
      "\r",
      "\0",
      "NaN",
      "-Infinity",
      "1e",
      "tru",
      "é",
      "null",
    ),
    fc.constantFrom('"patterns": [],', "[1, 2]", "/", " ", "1e999", '\\"', "{}"),
  )
  .map((inserted) => Buffer.from(inserted));
const brokenBytes = fc
  .constantFrom([0xff], [0xe2, 0x82], [0xc3], [0xed, 0xa0, 0x80], [0xf0, 0x9f], [0x80])
  .map((bytes) => Buffer.from(bytes));

const mutation = fc.record({
  at: fc.nat(),
  removed: fc.nat(3),
  inserted: fc.oneof({ weight: 4, arbitrary: fragment }, { weight: 1, arbitrary: brokenBytes }),
});

/** Bytes of library documents, about half of them corrupted. */
export const documents: fc.Arbitrary<Buffer> = fc
  .tuple(documentText, fc.oneof(fc.constant([]), fc.array(mutation, { minLength: 1, maxLength: 2 })))
  .map(([whole, mutations]) =>
    mutations.reduce<Buffer>((bytes, { at, removed, inserted }) => {
      const place = at % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, place), inserted, bytes.subarray(place + removed)]);
    }, Buffer.from(whole)),
  );
