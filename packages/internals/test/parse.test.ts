import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { needsStrictReader } from "@perdura/internals/json/needs_strict_reader.js";
import { parseJson } from "@perdura/internals/json/parse.js";
import { parseWithTokens } from "@perdura/internals/json/parse_with_tokens.js";
import { JsonSyntaxFault, StrictParser } from "@perdura/internals/json/strict_parser.js";
import fc from "fast-check";
import { expect, test } from "vitest";

const own = (object: unknown): [string, unknown][] => Object.entries(object as object);

test("reads keys with escapes correctly, also where V8 confuses them with an expected key", () => {
  // Objects with the key `\` teach V8 a shape; in Node 24 and 26 JSON.parse then reads one-character escapes as that
  // key.
  const keys = ["\\", "\n", "\ud800", "a", "", "\0", "\\n", "\nb", "constructor", "__proto__"];
  fc.assert(
    fc.property(
      fc.array(fc.uniqueArray(fc.constantFrom(...keys), { maxLength: 4 }), { minLength: 1, maxLength: 6 }),
      (shapes) => {
        const text = `[${shapes.map((shape) => `{${shape.map((key) => `${JSON.stringify(key)}:{}`).join(",")}}`).join(",")}]`;
        for (const [index, object] of (parseJson(text) as unknown[]).entries()) {
          expect(own(object).map(([key]) => key)).toEqual(shapes[index]);
        }
      },
    ),
    { numRuns: 2000 },
  );
});

test("needs the strict reader for an escape in a key, and not for one in another string", () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab\\"\n:{é'), maxLength: 6 });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text, fc.constantFrom("", " ", "\n\t")), { maxLength: 5 }), (members) => {
      const written = members.map(([key, value, blank]) => `${JSON.stringify(key)}${blank}:${JSON.stringify(value)}`);
      const document = `{${written.join(",")}}`;
      const hasEscape = members.some(([key]) => JSON.stringify(key).includes("\\"));
      expect(needsStrictReader(document)).toBe(hasEscape);
    }),
    { numRuns: 3000 },
  );
});

test("reads tokens that are not JSON as numbers, and says whether it found one", () => {
  const value = fc.constantFrom("NaN", "Infinity", "-Infinity", "1", "[]", '"NaN"', '"of Infinity"', '"\\"-Infinity"');
  const blank = fc.constantFrom("", " ", "\n", "\t\r");
  const written = fc.tuple(blank, value, blank).map((parts) => parts.join(""));
  const items = fc.oneof(
    written,
    fc.array(written).map((all) => `[${all.join(",")}]`),
    fc.array(written).map((all) => `{"a":[${all.join(",")}]${all.map((one, index) => `,"${index}":${one}`).join("")}}`),
  );
  fc.assert(
    fc.property(items, (text) => {
      const outside = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, "");
      const hasTokens = /N|I/.test(outside);
      expect(parseWithTokens(text)).toEqual({ value: new StrictParser(text, "number").parse(), hasTokens });
      expect(needsStrictReader(text, true)).toBe(hasTokens);
      expect(needsStrictReader(text)).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

test("the strict reader returns the same values as JSON.parse", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(new StrictParser(text).parse()).toEqual(JSON.parse(text));
    }),
    { numRuns: 1000 },
  );
});

test("a member named __proto__ is an ordinary property", () => {
  const members = Object.getOwnPropertyDescriptors(new StrictParser('{"a":1,"__proto__":1}').parse());
  expect(members["__proto__"]).toEqual(members["a"]);
});

test("keeps every number as its text or as the equal double, at any place", () => {
  const digits = (maxLength: number): fc.Arbitrary<string> =>
    fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength });
  const number = fc
    .tuple(
      fc.constantFrom("", "-"),
      fc.bigInt({ min: 0n, max: 10n ** 18n }),
      fc.oneof(
        fc.constant(""),
        digits(18).map((fraction) => `.${fraction}`),
      ),
      fc.oneof(
        fc.constant(""),
        fc.tuple(fc.constantFrom("e", "E", "e+", "E-"), digits(4)).map((parts) => parts.join("")),
      ),
    )
    .map((parts) => parts.join(""));
  const text = fc.tuple(fc.nat(16), fc.array(fc.tuple(number, fc.constantFrom("", " ")), { maxLength: 4 }));
  fc.assert(
    fc.property(text, ([blanks, numbers]) => {
      const written = `${" ".repeat(blanks)}[${numbers.map((parts) => parts.join("")).join(",")}]`;
      expect(JSON.stringify(parseJson(written))).toBe(JSON.stringify(new StrictParser(written).parse()));
    }),
    { numRuns: 5000 },
  );
});

test("the strict reader refuses the same mutated texts as JSON.parse", () => {
  const accepts = (read: () => unknown): boolean => {
    try {
      read();
      return true;
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof JsonSyntaxFault) return false;
      throw error;
    }
  };
  fc.assert(
    fc.property(
      fc.json(),
      fc.nat(),
      fc.constantFrom("", "}", "]", ",", ":", '"', "\\", "0", "-", ".", "e", "\t", "\u0001", "/", "NaN"),
      (text, at, insert) => {
        const place = at % (text.length + 1);
        const mutated = `${text.slice(0, place)}${insert}${text.slice(place + (at % 2))}`;
        expect(
          accepts(() => new StrictParser(mutated).parse()),
          mutated,
        ).toBe(accepts(() => JSON.parse(mutated)));
      },
    ),
    { numRuns: 3000 },
  );
});

test("nesting as deep as the text allows does not overflow the stack", () => {
  const depth = 200_000;
  let value = new StrictParser(`${"[".repeat(depth)}${"]".repeat(depth)}`).parse();
  for (let level = 1; level < depth; level += 1) value = (value as unknown[])[0];
  expect(value).toEqual([]);
});

test.for([
  ["12345678901234567890", "12345678901234567890"],
  ["1e400", "1e400"],
  ["-1E-400", "-1E-400"],
  ["0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"],
  ["9007199254740993", "9007199254740993"],
  ["1180591620717411303424", "1180591620717411303424"],
])("keeps the number %s as its text", ([source, text]) => {
  const [, value] = own(parseJson(`{"n": ${source}}`))[0] as [string, { rawJSON: string }];
  expect(value.rawJSON).toBe(text);
  expect(JSON.stringify(value)).toBe(text);
});

test.for([
  ["0.30000000000000004", 0.1 + 0.2],
  ["1.0", 1],
  ["-0.0", -0],
  ["5e-324", 5e-324],
  ["1e+22", 1e22],
  ["100000000000000000000", 1e20],
  ["1.7976931348623157e308", Number.MAX_VALUE],
  ["0.000000000000000000000", 0],
] as const)("reads the number %s as a double", ([source, number]) => {
  expect(own(parseJson(`{"n": ${source}}`))[0]?.[1]).toBe(number);
});

test("a key __proto__ does not change the prototype", () => {
  const value = parseJson('{"__proto__": {"polluted": 12345678901234567890}}') as Record<string, unknown>;
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.keys(value)).toEqual(["__proto__"]);
});

test("reads strings of many megabytes, plain and escaped", () => {
  for (const [source, length] of [
    ["a".repeat(2e7), 2e7],
    ["\\n".repeat(1e7), 1e7],
  ] as const) {
    const value = parseJson(`{"k\\u0065y": "${source}", "n": 1e999}`) as { key: string };
    expect(value.key.length).toBe(length);
  }
});

test.each(["9007199254740993", "0.12345678901234567", "1e400", "1.5E-999", "0.7e+1000", "7.25E-1000"])(
  "keeps %s unchanged at any offset",
  (number) => {
    for (let blanks = 0; blanks < 40; blanks += 1)
      expect(JSON.stringify(parseJson(`${" ".repeat(blanks)}[${number}]`)), `${blanks}`).toBe(`[${number}]`);
  },
);

test("scans a long run of digits in linear time", () => {
  // A search from each digit to the end of the run would take 10^13 steps.
  const digits = "1".repeat(5_000_000);
  expect(parseJson(`["${digits}", 1e100]`)).toEqual([digits, 1e100]);
  expect(JSON.stringify(parseJson(`["${digits}", 1e400]`))).toBe(`["${digits}",1e400]`);
});

test("strings of a text with large numbers or tokens do not keep the text in memory", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const kept: unknown[] = [];
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < 100; index += 1) {
    const text = `{"id":"an-identifier-${index}","n":1234567890123456789${index},"x":NaN,"t":"${"x".repeat(1 << 19)}"}`;
    const { id, n } = parseJson(text, "number") as Record<string, unknown>;
    kept.push(id, n);
  }
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10 * (1 << 20));
  expect(kept).toHaveLength(200);
});
