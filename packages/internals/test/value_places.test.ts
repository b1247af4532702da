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

test("memory does not grow with the square of the nesting", () => {
  const levels = 100_000;
  const [token, ...others] = valuePlaces(`${"[".repeat(levels)}Infinity${"]".repeat(levels)}`);
  expect([token?.token, token?.path.length, token?.start]).toEqual(["Infinity", levels, levels]);
  expect(others.map(({ path }) => path.length)).toEqual([2, 1, 0]);
});
