import { inspectJson, MAX_DEPTH, rawNumber } from "@perdura/internals/json/values.js";
import { expect, test } from "vitest";

test.each<[what: string, value: unknown, pointer: string, expected: string]>([
  ["NaN", { "a~b": { "c/d": [0, Number.NaN] } }, "/a~0b/c~1d/1", "a finite number at /a~0b/c~1d/1, got NaN"],
  ["a non-finite number as the whole value", Infinity, "", "a finite number at the top, got Infinity"],
  ["a function", [() => 1], "/0", "a JSON value at /0, got a function"],
  ["undefined in an array", [undefined], "/0", "a JSON value at /0, got undefined"],
  ["a Map", { m: new Map() }, "/m", "a plain object at /m, got an object of class Map"],
  ["an object with toJSON", { d: { toJSON: () => 1 } }, "/d", "a value without toJSON at /d, got an object"],
])("refuses %s with its place", (_what, value, pointer, expected) => {
  expect(() => inspectJson(value, "context")).toThrow(
    expect.objectContaining({
      name: "ValidationError",
      pointer,
      message: `context: expected ${expected}. Nothing was written.`,
    }),
  );
});

/** Arrays within one another. */
function nested(depth: number): unknown[] {
  let value: unknown[] = [];
  for (let count = 1; count < depth; count += 1) value = [value];
  return value;
}

test("accepts values nested as deep as the reader allows, and truncates the pointer of a deeper one", () => {
  expect(inspectJson(nested(MAX_DEPTH), "context").needsExactWriter).toBe(false);
  expect(() => inspectJson(nested(MAX_DEPTH + 1), "context")).toThrow(
    expect.objectContaining({
      pointer: "/0".repeat(20),
      message: `context: expected at most ${MAX_DEPTH} levels of nesting at ${"/0".repeat(20)}, got an array of 0. Nothing was written.`,
    }),
  );
});

test("only minus zero and big integers need the exact writer", () => {
  const isLeft = (value: unknown): boolean => inspectJson({ a: [value] }, "context").needsExactWriter;
  expect([-0, 1n].map(isLeft)).toEqual([true, true]);
  expect([0, "-0", null, true, rawNumber("1e400"), { a: undefined }].filter(isLeft)).toEqual([]);
});
