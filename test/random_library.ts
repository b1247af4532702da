import type { PatternLibrary as V15Library } from "@perdura/v15";
import type { JsonValue, Pattern, PatternLibrary } from "@perdura/v16";
import fc from "fast-check";
import { ANY_CHARACTER } from "./any_character.ts";
import { asDocumented } from "./as_documented.ts";

/** Makes a number that a double cannot hold, as JSON.parse with source access keeps it. */
export function rawNumber(text: string): JsonValue {
  return (JSON as unknown as { rawJSON(text: string): JsonValue }).rawJSON(text);
}

/** Any text that every backend supports: NUL and all of Unicode, but no lone surrogates. */
const text = fc.string({
  unit: fc.oneof(
    fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 1 }),
    fc.constantFrom("\0", "\r\n", '"', "\\", "\u2028", "é", "e\u0301"),
  ),
});

/** Text that may also contain lone surrogates, as Python's json module writes them inside JSON. */
const jsonText = fc.oneof(text, fc.constantFrom("\ud800", "x\udfff", "__proto__", "constructor", ""));

const identifier = fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 12 }).filter((id) => !id.includes("\0"));

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(-0, 5e-324, 0.1 + 0.2, 1e22, Number.MAX_SAFE_INTEGER),
  fc
    .constantFrom(
      "12345678901234567890",
      "1e400",
      "-1E-400",
      "1180591620717411303424",
      "0.1000000000000000055511151231257827",
    )
    .map(rawNumber),
);

const json = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.boolean(),
    number,
    jsonText,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(jsonText, tie("value"), { maxKeys: 4 }),
  ),
})).value;

const context = fc.dictionary(jsonText, json, { maxKeys: 5 });

const timestamp = fc
  .tuple(
    fc.date({ min: new Date("0001-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59Z"), noInvalidDate: true }),
    fc.constantFrom("T", " "),
    fc.stringMatching(/^(\.\d{1,6})?$/),
  )
  .map(
    ([date, separator, fraction]) =>
      `${date.toISOString().slice(0, 10)}${separator}${date.toISOString().slice(11, 19)}${fraction}`,
  );

const optional = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> => fc.option(value, { nil: null });

const count = fc.oneof(fc.nat(), fc.constantFrom(0, Number.MAX_SAFE_INTEGER));

/** Fields of a pattern that both lines accept. */
export const PATTERN = {
  id: identifier,
  agent_id: identifier,
  pattern_type: text,
  name: text,
  description: optional(text),
  context: optional(context),
  code: optional(text),
  confidence: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  usage_count: count,
  success_count: count,
  failure_count: count,
  tags: optional(fc.array(jsonText)),
  discovered_at: optional(timestamp),
  last_used: optional(timestamp),
};

/** Patterns with distinct ids, to be contributed in order. */
export const patterns: fc.Arbitrary<Pattern[]> = fc.uniqueArray(fc.record<Pattern>(PATTERN), {
  selector: ({ id }) => id,
  maxLength: 8,
});

/** Makes a library of one line from patterns. */
export function libraryOf(
  Library: { new (): PatternLibrary } | { new (): V15Library },
  contributed: Pattern[],
): PatternLibrary {
  const library = new Library();
  for (const one of contributed) library.contribute(one.agent_id, one);
  return library;
}

/** A library as plain data that shows `-0`, raw numbers, order and absent keys. */
export function contentOf(library: Pick<PatternLibrary, "patterns">): unknown {
  const exact = (_key: string, value: unknown): unknown => {
    if (Object.is(value, -0)) return { $number: "-0" };
    return value instanceof Map ? [...value] : value;
  };
  return JSON.stringify([...library.patterns.values()], exact);
}

/**
 * Content of a library after saving as a document, in the form of {@link contentOf}: timestamps with a space get a T.
 */
export function contentOfDocument(library: PatternLibrary): unknown {
  return contentOf({ patterns: new Map([...library.patterns].map(([id, one]) => [id, asDocumented(one)])) });
}
