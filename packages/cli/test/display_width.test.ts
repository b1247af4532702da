import stringWidth from "string-width";
import { expect, test } from "vitest";
import { cutBeginning, cutEnd, displayWidth } from "../src/display_width.ts";

test.each([
  ["", 0],
  ["abc", 3],
  ["é", 1],
  ["e\u0301", 1],
  ["a\u20dd", 1],
  ["漢字", 4],
  ["ᄀ", 2],
  ["ｗ", 2],
  ["ｱ", 1],
  ["￥", 2],
  ["𠀀", 2],
  ["😀", 2],
  ["☺", 1],
  ["한글", 4],
  ["\u001b[31mred\u001b[0m", 3],
])("%j takes %d columns", (text, columns) => {
  expect(displayWidth(text)).toBe(columns);
});

test("common characters, alone and between digits, have the widths that string-width returns", () => {
  const characters = Array.from({ length: 0x2100 - 0x20 }, (_, index) => String.fromCharCode(0x20 + index));
  const wrong = characters.filter(
    (character) =>
      displayWidth(character) !== stringWidth(character) ||
      displayWidth(`1${character}2`) !== stringWidth(`1${character}2`),
  );
  expect(wrong).toEqual([]);
});

test.each([
  ["abcdef", 6, "abcdef", "abcdef"],
  ["abcdef", 5, "abcd…", "…cdef"],
  ["abcdef", 1, "…", "…"],
  ["漢字漢字", 8, "漢字漢字", "漢字漢字"],
  ["漢字漢字", 7, "漢字漢…", "…字漢字"],
  ["漢字漢字", 6, "漢字…", "…漢字"],
  ["ae\u0301b", 2, "a…", "…b"],
  ["ae\u0301bc", 3, "ae\u0301…", "…bc"],
  ["xae\u0301\u0308b", 2, "x…", "…b"],
  ["xae\u0301\u0308b", 3, "xa…", "…e\u0301\u0308b"],
])("truncates %j to %d columns as %j at the end, and as %j at the beginning", (text, width, end, beginning) => {
  expect(cutEnd(text, width)).toBe(end);
  expect(cutBeginning(text, width)).toBe(beginning);
});
