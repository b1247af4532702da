import { expect, test } from "vitest";
import { suitedKeys } from "../../src/metrics/breakdown/found_keys.ts";

/** Metadata of a number of calls of tools. */
const calls = (number: number): object[] =>
  Array.from({ length: number }, (_, index) => ({
    request: `r${index}`,
    tokens: index * 17,
    retried: index % 5 === 0,
    tool: ["search", "fetch", "run"][index % 3],
    ...(index % 2 === 0 ? { model: "small" } : {}),
    options: { deep: true },
    prompt: "x".repeat(200),
    user: null,
  }));

const namesIn = (values: readonly unknown[]): string[] =>
  suitedKeys(values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)))).map(({ key }) => key);

test("finds keys with few values that are repeated: of most rows first, text before other values", () => {
  expect(namesIn(calls(100))).toEqual(["tool", "retried", "model"]);
  expect(namesIn(calls(3))).toEqual(["retried", "model"]);
});

test("takes no key whose values are all different, or more than fifty", () => {
  expect(namesIn([{ request: "a" }, { request: "b" }])).toEqual([]);
  expect(namesIn(Array.from({ length: 1000 }, (_, index) => ({ page: index % 51 })))).toEqual([]);
  expect(namesIn(Array.from({ length: 1000 }, (_, index) => ({ page: index % 50 })))).toEqual(["page"]);
});

test("skips text of other programs that is not an object", () => {
  expect(namesIn(["{", "[1]", "3", "null", { tool: "a" }, { tool: "a" }])).toEqual(["tool"]);
  expect(
    namesIn([
      { "": "a", "a\0b": "a" },
      { "": "a", "a\0b": "a" },
    ]),
  ).toEqual([]);
  expect(namesIn(['{"__proto__": "a"}', '{"__proto__": "a"}'])).toEqual(["__proto__"]);
});
