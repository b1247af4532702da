import fc from "fast-check";
import { expect, it, test } from "vitest";
import { hasEscapedKey, readJsonText, readOrdinaryJson } from "../src/values/json_reader.ts";
import { parseJson } from "../src/values/parse_json.ts";
import { ANY_CHARACTER } from "../../../test/any_character.ts";

it("reads a key with an escape exactly, whatever keys came before", () => {
  // Text that V8 13 misreads: the key of a backslash and an n comes first.
  expect(parseJson('{"a":0,"\\\\n":0}')).toEqual({ a: 0, "\\n": 0 });
  expect(parseJson('{"a":0,"\\\\":0}')).toEqual({ a: 0, "\\": 0 });
  expect(parseJson('{"a":0,"\\n":0}')).toEqual({ a: 0, "\n": 0 });
});

it("reads what JSON.parse reads, and makes the same objects", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: ANY_CHARACTER }), (value) => {
      // The escaped key makes the parser avoid JSON.parse.
      const read = parseJson(JSON.stringify({ value, "\\": 0 }));
      expect(read).toStrictEqual({ value: JSON.parse(JSON.stringify(value)) as unknown, "\\": 0 });
    }),
  );
});

it("reads __proto__ as an ordinary key", () => {
  const read = parseJson(String.raw`{"\\": {"__proto__": {"polluted": true}}}`) as Record<string, object>;
  expect(Object.entries(read["\\"] ?? {})).toEqual([["__proto__", { polluted: true }]]);
  expect(Object.getPrototypeOf(read["\\"])).toBe(Object.prototype);
});

test.each([String.raw`{"\\": }`, String.raw`{"\\": "\x"}`, String.raw`["\x"]`, '["\\', "{"])(
  "refuses %s as JSON.parse does",
  (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  },
);

it("reads the same depth of nesting as JSON.parse", () => {
  const text = `${"[".repeat(2000)}{"\\\\":0}${"]".repeat(2000)}`;
  expect(JSON.stringify(parseJson(text))).toBe(text);
});

test.each([
  [String.raw`{"a\n": 1}`, true],
  [String.raw`{"\"" : 1}`, true],
  [String.raw`{"\\": {"b": "\n"}}`, true],
  [String.raw`{"b": "\n:", "c": "\":"}`, false],
  [String.raw`["\\", {"c": 1}]`, false],
  ["{}", false],
])("%s has an escaped key: %s", (text, has) => {
  expect(hasEscapedKey(text)).toBe(has);
});

/** JSON text with repeated keys, numbers that a double changes, and blanks. */
const { text: anyText } = fc.letrec<{ text: string }>((tie) => {
  const blank = fc.constantFrom("", " ", "\n\t");
  const string = fc.constantFrom('"a"', '"b"', '"$int"', '"__proto__"', '":"', '"1e5"', '"ü"', String.raw`"\n"`, '""');
  const number = fc.constantFrom("0", "-0", "1.50", "12345678901234", "9007199254740993", "1e5", "0.10000000000000001");
  const member = fc.tuple(string, blank, tie("text")).map(([key, space, value]) => `${key}${space}:${value}`);
  const list = (item: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc.array(item, { maxLength: 4 }).map((items) => items.join(","));
  const value = fc.oneof(
    { depthSize: "small" },
    fc.oneof(string, number, fc.constantFrom("true", "null", "nul", "")),
    list(tie("text")).map((items) => `[${items}]`),
    list(member).map((members) => `{${members}}`),
  );
  return { text: fc.tuple(blank, value, blank).map((parts) => parts.join("")) };
});

it("reads an ordinary text as the strict reader does, and leaves the others to it", () => {
  let ordinary = 0;
  fc.assert(
    fc.property(anyText, (text) => {
      const quick = readOrdinaryJson(text);
      if (quick === undefined) return;
      ordinary += 1;
      const repeated: string[] = [];
      expect(quick).toStrictEqual(readJsonText(text, { repeated: (key) => void repeated.push(key) }));
      expect(repeated).toEqual([]);
    }),
    { numRuns: 1000 },
  );
  expect(ordinary).toBeGreaterThan(50);
});

test.each(["[".repeat(1001) + "]".repeat(1001), '{"a": 1, "a": 1}', "[9007199254740993]", "[1E2]", "[1,]"])(
  "leaves %s to the strict reader",
  (text) => {
    expect(readOrdinaryJson(text)).toBeUndefined();
  },
);

it("reads the deepest document that the strict reader reads", () => {
  const text = "[".repeat(1000) + "]".repeat(1000);
  expect(readOrdinaryJson(text)).toStrictEqual(readJsonText(text));
});
