import fc from "fast-check";
import { expect, it, test } from "vitest";
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
      // The backslash makes the parser avoid JSON.parse.
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

test.each([String.raw`{"\\": }`, String.raw`["\x"]`, "{"])("refuses %s as JSON.parse does", (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
});

it("reads the same depth of nesting as JSON.parse", () => {
  const text = `${"[".repeat(2000)}"\\\\"${"]".repeat(2000)}`;
  expect(JSON.stringify(parseJson(text))).toBe(text);
});
