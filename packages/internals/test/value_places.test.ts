import fc from "fast-check";
import { expect, test } from "vitest";
import { valuePlaces } from "../src/json/value_places.ts";

test("a place has the path of its value, with decoded names", () => {
  const text = String.raw`{"a": [1, {"k\u0031": NaN}], "é": "NaN"}`;
  const bytes = Buffer.from(text).toString("latin1");
  expect(valuePlaces(bytes, 1).map(({ path, token }) => [path.join("/"), token])).toEqual([
    ["a/1/k1", "NaN"],
    ["a", undefined],
    ["é", undefined],
    ["", undefined],
  ]);
});

test("finds the values of any document", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 2, stringUnit: STRING_UNIT }), fc.nat(3), (value, blanks) => {
      const text = JSON.stringify(value, null, blanks);
      const bytes = Buffer.from(text);
      const found = valuePlaces(bytes.toString("latin1"));
      for (const { path, start, end, nameStart, nameEnd } of found) {
        const expected = path.reduce((held: unknown, name) => (held as Record<string, unknown>)[name], value);
        expect(JSON.parse(bytes.toString("utf8", start, end))).toEqual(JSON.parse(JSON.stringify(expected)));
        if (nameStart !== start) expect(JSON.parse(bytes.toString("utf8", nameStart, nameEnd))).toBe(path.at(-1));
      }
      expect(found.at(-1)).toMatchObject({ path: [], start: 0, end: bytes.length });
    }),
  );
});

/** Characters that end, escape or lengthen a string. */
const STRING_UNIT = fc.constantFrom('"', "\\", "a", "é", "€", ",", "}", "\n");

test("memory does not grow with the square of the nesting", () => {
  const levels = 100_000;
  const [token, ...others] = valuePlaces(`${"[".repeat(levels)}Infinity${"]".repeat(levels)}`);
  expect([token?.token, token?.path.length, token?.start]).toEqual(["Infinity", levels, levels]);
  expect(others.map(({ path }) => path.length)).toEqual([2, 1, 0]);
});
