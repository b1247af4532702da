import { isExact } from "@perdura/internals/json/exact_numbers.js";
import { parseJson } from "@perdura/internals/json/parse.js";
import { inspectJson } from "@perdura/internals/json/values.js";
import { describe as shown, shownPointer } from "@perdura/internals/text/describe.js";
import { expect, test } from "vitest";

test("a member named constructor does not count as the class of an object", () => {
  expect(shown({ constructor: { name: "Map" } })).toBe("an object");
  expect(shown({ constructor: "Map" })).toBe("an object");
  expect(shown(Object.create(null))).toBe("an object");
  expect(shown(new Map())).toBe("an object of class Map");
});

test("truncates and escapes the name of a class", () => {
  const strange = class {};
  Object.defineProperty(strange, "name", { value: `\u001b[2J${"x".repeat(1000)}` });
  expect(shown(new strange())).toBe(`an object of class \\u001b[2J${"x".repeat(56)}…`);
});

test("truncates a pointer in a message, and keeps the whole one in the error", () => {
  expect(shownPointer("/a/b")).toBe("/a/b");
  const key = "k".repeat(100_000);
  let fault: (Error & { pointer?: string }) | undefined;
  try {
    inspectJson({ [key]: Number.NaN }, "context");
  } catch (error) {
    fault = error as Error;
  }
  expect(fault?.message.length).toBeLessThan(400);
  expect(fault?.pointer).toBe(`/${key}`);
});

// A regular expression for trailing zeros took a minute for each of the first, and hours for the second.
test("reads a number of a million digits in linear time", () => {
  const zeros = "0".repeat(1_000_000);
  expect(isExact(`1.${zeros}1`)).toBe(false);
  expect(isExact(`1${zeros}`)).toBe(false);
  expect(isExact(`1.${zeros}`)).toBe(true);
  expect(JSON.stringify(parseJson(`[1.${zeros}1]`))).toBe(`[1.${zeros}1]`);
});
