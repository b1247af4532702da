import { expect, test } from "vitest";
import { printable } from "../src/terminal/printable.ts";
import { describe, quote } from "../src/text/describe.ts";
import { assertIdentifier, identifierFault } from "../src/text/identifiers.ts";
import { assertOptions } from "../src/text/options.ts";

class Named {}
class NamedOddly {
  static readonly name = 5 as never;
}

test.each([
  ["a\nb", '"a\\nb"'],
  [5n, "5n"],
  [-0, "-0"],
  [0, "0"],
  [Number.NaN, "NaN"],
  [null, "null"],
  [undefined, "undefined"],
  [true, "true"],
  [[1, 2], "an array of 2"],
  [() => 1, "a function"],
  [Symbol("s"), "a symbol"],
  [{}, "an object"],
  [Object.create(null), "an object"],
  [new Named(), "an object of class Named"],
  [new (class {})(), "an object"],
  [{ constructor: { name: 5 } }, "an object"],
  [{ constructor: undefined }, "an object"],
  [new NamedOddly(), "an object"],
])("a message shows %o as %s", (value, shown) => {
  expect(describe(value)).toBe(shown);
});

test("a message quotes at most 60 characters of a text, and marks the cut", () => {
  expect(quote("x".repeat(60))).toBe(`"${"x".repeat(60)}"`);
  expect(quote("x".repeat(61))).toBe(`"${"x".repeat(60)}…"`);
});

test("escapes control characters in messages", () => {
  const steering = "\u0000\u001b\u001f\u007f\u0085\u009f\u200e\u200f\u2028\u202e\u2066\u2069\ufeff";
  expect(printable(steering)).toMatch(/^(?:\\u[0-9a-f]{4})+$/);
  expect(printable("\u001b")).toBe("\\u001b");
  expect(printable(" ~\u00a0é🙂\u200d\u2030")).toBe(" ~\u00a0é🙂\u200d\u2030");
});

test.each([
  [5, "expected text, got 5"],
  ["", "expected text that is not empty"],
  ["a\0b", 'expected text without NUL characters, got "a\\u0000b"'],
  ["\ud800", 'expected text without lone surrogates, got "\\ud800"'],
  ["\0", 'expected text without NUL characters, got "\\u0000"'],
])("refuses the identifier %j: %s", (id, fault) => {
  expect(identifierFault(id)).toBe(fault);
  expect(() => assertIdentifier("userId", id)).toThrow(`userId: ${fault}. Nothing was written.`);
});

test("accepts any other text as an identifier", () => {
  for (const id of ["a", " ", "🙂", "\n"]) {
    expect(identifierFault(id)).toBeUndefined();
    expect(() => assertIdentifier("userId", id)).not.toThrow();
  }
});

test("options must be an object with known keys, or undefined", () => {
  const check = (options: unknown) => () => assertOptions("save", options, ["mode", "clock"]);
  for (const options of [undefined, {}, { mode: 1 }, { clock: undefined, mode: 2 }])
    expect(check(options)).not.toThrow();
  expect(check(null)).toThrow("save: expected an object, got null.");
  expect(check([])).toThrow("save: expected an object, got an array of 0.");
  expect(check("mode")).toThrow('save: expected an object, got "mode".');
  expect(check({ mode: 1, node: 2 })).toThrow('save: unknown option "node"; expected one of mode, clock.');
});
