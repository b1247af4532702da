import { expect, test } from "vitest";
import { ordinaryLength } from "../src/json/ordinary_value.ts";
import { MAX_DEPTH } from "../src/json/values.ts";

test.each<[value: unknown, length: number]>([
  ["", 2],
  ["abc", 5],
  [false, 5],
  [0, 8],
  [-12.5, 8],
  [null, 4],
  [[], 2],
  [["ab", [null]], 18],
  [{}, 2],
  [{ ab: true, c: ["x"] }, 29],
  // JSON cannot represent it, and omits it.
  [{ a: undefined }, 2],
])("%j is an ordinary value with an estimated length of %d", (value, length) => {
  expect(ordinaryLength(value)).toBe(length);
});

class Point {
  readonly x = 1;
}

test.each<[what: string, value: unknown]>([
  ["NaN", Number.NaN],
  ["an infinite number", -Infinity],
  ["minus zero", -0],
  ["undefined", undefined],
  ["a big integer", 1n],
  ["a symbol", Symbol("s")],
  ["a function", () => 1],
  ["a Date", new Date(0)],
  ["a Map", new Map()],
  ["an instance of a class", new Point()],
  ["an object without a prototype", Object.create(null)],
  ["an array of a class", new (class extends Array {})()],
  ["an object with toJSON", { toJSON: () => 1 }],
  ["an array with toJSON", Object.assign([1], { toJSON: () => 1 })],
])("%s is not an ordinary value, alone or nested", (_what, value) => {
  expect(ordinaryLength(value)).toBeNaN();
  expect(ordinaryLength([1, [value]])).toBeNaN();
  if (value !== undefined) expect(ordinaryLength({ a: 1, b: { c: value } })).toBeNaN();
});

test("a value deeper than a document may be is not an ordinary value", () => {
  const nested = (depth: number): unknown =>
    depth === 0 ? 1 : depth % 2 === 0 ? [nested(depth - 1)] : { a: nested(depth - 1) };
  expect(ordinaryLength(nested(MAX_DEPTH))).toBeGreaterThan(MAX_DEPTH);
  expect(ordinaryLength(nested(MAX_DEPTH + 1))).toBeNaN();
});
