import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { supportsStyles, jsonText, paintFor, widthOf } from "../src/terminal.ts";

beforeEach(() => {
  vi.stubEnv("NO_COLOR", "");
  vi.stubEnv("TERM", "xterm");
});
afterEach(() => void vi.unstubAllEnvs());

const painted = (isTTY: boolean | undefined, wanted = true): string[] => {
  const { bold, good, bad } = paintFor(isTTY === undefined ? {} : { isTTY }, wanted);
  return [bold("b"), good("g"), bad("x")];
};
const [PAINTED, PLAIN] = [
  ["\u001b[1mb\u001b[0m", "\u001b[32mg\u001b[0m", "\u001b[31mx\u001b[0m"],
  ["b", "g", "x"],
];

test("colours text only on a terminal that supports colours, if they are turned on", () => {
  expect(painted(true)).toEqual(PAINTED);
  expect(painted(true, false)).toEqual(PLAIN);
  expect([painted(false), painted(undefined)]).toEqual([PLAIN, PLAIN]);
  vi.stubEnv("TERM", "dumb");
  expect(painted(true)).toEqual(PLAIN);
  vi.stubEnv("TERM", undefined);
  expect(painted(true)).toEqual(PAINTED);
});

test("NO_COLOR turns colours off unless it is empty", () => {
  vi.stubEnv("NO_COLOR", "0");
  expect(painted(true)).toEqual(PLAIN);
  vi.stubEnv("NO_COLOR", undefined);
  expect(painted(true)).toEqual(PAINTED);
});

test("supportsStyles is true for a terminal unless it is dumb", () => {
  expect([supportsStyles({ isTTY: true }), supportsStyles({ isTTY: false }), supportsStyles({})]).toEqual([
    true,
    false,
    false,
  ]);
  vi.stubEnv("TERM", "dumb");
  expect(supportsStyles({ isTTY: true })).toBe(false);
});

test.each([
  [0, 80],
  [1, 20],
  [20, 20],
  [21, 21],
  [119, 119],
  [121, 120],
])("the width for a terminal of %d columns is %d", (columns, width) => {
  expect(widthOf({ isTTY: true, columns })).toBe(width);
  expect(widthOf({ isTTY: false, columns })).toBe(Infinity);
});

test("jsonText indents by the given number of spaces", () => {
  expect(jsonText({ a: [1, "\u2029"] }, 2)).toBe('{\n  "a": [\n    1,\n    "\\u2029"\n  ]\n}');
});
