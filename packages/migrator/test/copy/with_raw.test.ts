import { expect, test } from "vitest";
import { withRaw } from "../../src/copy/tables.ts";

/** Place of a JSON text: stored as the value itself, or in the raw column. */
function stored(text: string): "as JSON" | "beside" {
  const row = withRaw(["key", text], [1]);
  expect(row).toHaveLength(3);
  expect(row).toEqual(row[2] === null ? ["key", text, null] : ["key", "null", text]);
  return row[2] === null ? "as JSON" : "beside";
}

const arrays = (depth: number, inside = ""): string => "[".repeat(depth) + inside + "]".repeat(depth);

test.each([
  ["500 arrays", arrays(500), "as JSON"],
  ["501 arrays", arrays(501), "beside"],
  ["501 objects", `${'{"a":'.repeat(501)}1${"}".repeat(501)}`, "beside"],
  ["arrays one after the other", `[${Array.from({ length: 600 }, () => "[[]]").join()}]`, "as JSON"],
  ["brackets in a text", `["${"[{".repeat(600)}"]`, "as JSON"],
  ["brackets in a text after an escaped quote", String.raw`["\"${"[".repeat(1200)}"]`, "as JSON"],
  ["brackets after a text that ends in a backslash", String.raw`["\\", ${arrays(500)}]`, "beside"],
  ["closing brackets in a text between others", arrays(300, `"${"]".repeat(300)}", ${arrays(300)}`), "beside"],
  ["no JSON", "{", "beside"],
])("%s are stored %s", (_what, text, expected) => {
  expect(stored(text)).toBe(expected);
});

test("does not change missing values and rows without JSON", () => {
  expect(withRaw(["key", null], [1])).toEqual(["key", null, null]);
  const row = ["key", "{"];
  expect(withRaw(row, [])).toBe(row);
});
