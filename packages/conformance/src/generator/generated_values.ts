import fc from "fast-check";
import type { JsonObject, JsonValue } from "../values/json_value.ts";

/** Characters at which implementations stumble: signs of SQL, of its patterns and of JSON, capitals, and other scripts. */
const UNITS = [
  ..."abcABC019 _%*?[]'\"`\\;:,.-{}()<>&#=+/~|!@^é\n\r\t",
  "e\u0301",
  "ß",
  "İ",
  "あ",
  "😀",
  "\u2028",
  "\ufffd",
];

/** Texts that look like another type. */
const LOOK_ALIKES = ["1", "01", "1.0", "1e3", "0x1f", "null", "true", "NaN", "{}", "[]", '""', "2025-01-01T00:00:00"];

/** A text that is not empty and has more than blanks. */
export const TEXT: fc.Arbitrary<string> = fc.oneof(
  {
    arbitrary: fc
      .string({ unit: fc.constantFrom(...UNITS), minLength: 1, maxLength: 12 })
      .map((text) => (text.trim() === "" ? `${text}x` : text)),
    weight: 6,
  },
  fc.constantFrom(...LOOK_ALIKES),
);

/** A text of an optional field, which may be empty. */
export const ANY_TEXT: fc.Arbitrary<string> = fc.oneof({ arbitrary: TEXT, weight: 5 }, fc.constantFrom("", " "));

/** User ids of which some differ only in capitals, blanks, accents, or by a sign that patterns of SQL know. */
export const USER_IDS: fc.Arbitrary<string[]> = similarIds(
  fc.oneof(fc.constantFrom("alice", "a*c", "a%c", "1", "o'brien"), TEXT),
);

/** User ids that are names of files on every system. */
export const PLAIN_USER_IDS: fc.Arbitrary<string[]> = similarIds(
  fc.string({ unit: fc.constantFrom(..."abcABC019_-"), minLength: 1, maxLength: 8 }),
  [(id) => `${id}.b`, (id) => `${id}1`],
);

/** Between two and six ids, each of them once. */
function similarIds(
  id: fc.Arbitrary<string>,
  changes: readonly ((id: string) => string)[] = [(text) => `${text} `, (text) => ` ${text}`, (text) => `${text}%`],
): fc.Arbitrary<string[]> {
  const swapped = (text: string): string => (text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase());
  const all = [(text: string) => text, swapped, ...changes];
  return fc
    .array(fc.tuple(id, fc.constantFrom(...all)), { minLength: 1, maxLength: 3 })
    .map((pairs) => [...new Set(pairs.flatMap(([text, change]) => [text, change(text)]))]);
}

/** Response times in milliseconds: whole numbers, zero, fractions with all their digits, and days. */
export const RESPONSE_TIME: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, 0.1, 1e-9, 0.30000000000000004, 86_400_000.5),
  fc.integer({ min: 0, max: 100_000 }),
  fc.double({ min: 0, max: 1e9, noNaN: true }).map((value) => value + 0),
);

/** A level of section 2.5. */
export const LEVEL: fc.Arbitrary<number> = fc.integer({ min: 1, max: 5 });

/** A count of section 2.1 or 2.8. */
export const COUNT: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: 0, max: 100 }),
  fc.constantFrom(0, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER),
);

/** A fraction from 0 to 1 with up to 17 digits. */
export const FRACTION: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, 1, 0.1, 0.30000000000000004, 1 / 3),
  fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0),
);

/** A time in the form of section 2.1, from 1970 to the last year with four digits. */
export const TIMESTAMP: fc.Arbitrary<string> = fc.oneof(
  {
    arbitrary: fc
      .date({ min: new Date("1970-01-02T00:00:00Z"), max: new Date("9999-12-30T00:00:00Z"), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 19)),
    weight: 5,
  },
  // Hours that New York skips or repeats, and days at the edges of years.
  fc.constantFrom("2025-03-09T02:30:00", "2025-11-02T01:30:00", "2024-02-29T00:00:00", "2025-12-31T23:59:59"),
);

/** JSON that every parser reads in the same way. */
const JSON_VALUE: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<JsonValue[]>(null, true, false, 0, ""),
    fc.oneof(COUNT, FRACTION, ANY_TEXT) as fc.Arbitrary<JsonValue>,
    fc.array(tie("value"), { maxLength: 3 }),
    objectOf(tie("value")),
  ),
})).value;

/** The JSON objects of `context` and of metadata. */
export const JSON_OBJECT: fc.Arbitrary<JsonObject> = objectOf(JSON_VALUE);

function objectOf(value: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonObject> {
  return fc.dictionary(TEXT, value, { maxKeys: 3, noNullPrototype: true });
}

/**
 * Operations that close all objects; a quarter of them end the adapter, if its databases are files. To start it again can
 * take longer than all calls of a sequence.
 */
export const closing = <Kind extends string>(kind: Kind, inServer = false): fc.Arbitrary<{ do: Kind | "kill" }> =>
  fc.record({ do: inServer ? fc.constant(kind) : fc.constantFrom<Kind | "kill">(kind, kind, kind, "kill") });
