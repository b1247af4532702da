import fc from "fast-check";
import { expect, test } from "vitest";
import { cutBeginning, cutEnd, displayWidth } from "../src/display_width.ts";
import { jsonText, printable, widthOf } from "../src/terminal.ts";
import { wrap } from "../src/wrap.ts";

test("breaks lines at spaces, and indents the rest", () => {
  expect(wrap("  10. leave a view metrics that fails", 23)).toBe("  10. leave a view\n      metrics that\n      fails");
  expect(wrap("  note: kept in a row and more", 25)).toBe("  note: kept in a row and\n        more");
  expect(wrap("  note: kept in a row and more", 20)).toBe("  note: kept in a\n    row and more");
  expect(wrap("short", 20)).toBe("short");
  expect(wrap("no end ".repeat(40), Infinity)).toBe("no end ".repeat(40));
});

test("wraps each line separately, and not a line that just fits", () => {
  expect(wrap("one two\nthree four five\n  six seven", 10)).toBe("one two\nthree four\n  five\n  six\n    seven");
  expect(wrap("one two", 7)).toBe("one two");
  expect(wrap("one  two", 7)).toBe("one\n  two");
  expect(wrap("one  two  three", 9)).toBe("one  two\n  three");
  expect(wrap("漢字 漢字", 8)).toBe("漢字\n  漢字");
  expect(wrap("", 5)).toBe("");
  expect(wrap("one two ", 8)).toBe("one two ");
  expect(wrap(" ".repeat(9), 8)).toBe("");
  expect(wrap("onetwothree four", 8)).toBe("onetwothree\n  four");
});

test("aligns the rest with the text after a short number, option or name", () => {
  expect(wrap("10. one two three", 12)).toBe("10. one two\n    three");
  expect(wrap("10. one two three", 11)).toBe("10. one two\n  three");
  expect(wrap("  --to FILE  one two three four", 36)).toBe("  --to FILE  one two three four");
  expect(wrap("  --to FILE  one two three four five six", 39)).toBe(
    "  --to FILE  one two three four five\n             six",
  );
  expect(wrap("  --to FILE  one two three four five six", 38)).toBe("  --to FILE  one two three four five\n    six");
  expect(wrap("  --to FILE one two three four five six", 38)).toBe("  --to FILE one two three four five\n    six");
  expect(wrap("  --quiet  one two three four five", 33)).toBe("  --quiet  one two three four\n           five");
  expect(wrap("note: one two three four", 18)).toBe("note: one two\n      three four");
  expect(wrap("two words: one two three", 18)).toBe("two words: one two\n  three");
  expect(wrap("a b: one two three four", 18)).toBe("a b: one two three\n  four");
});

test("does not break at other white space", () => {
  expect(wrap("from a\u3000b\u00a0c to d", 12)).toBe("from a\u3000b\u00a0c\n  to d");
});

test("does not break a command", () => {
  const line = "  perdura-migrate up --invalid-rows quarantine a/very/long/path/to/some/data";
  expect(wrap(line, 20)).toBe(line);
  expect(wrap(" perdura-backup list file:///a/long/path", 20)).toBe(" perdura-backup list file:///a/long/path");
  // Within a sentence it is not a command.
  expect(wrap("perdura-migrate up takes a long time", 20)).toBe("perdura-migrate up\n  takes a long time");
  expect(wrap("  perdura-migrate: it takes long", 20)).toBe("  perdura-migrate:\n    it takes long");
  expect(wrap("  see perdura-migrate up for more", 20)).toBe("  see\n    perdura-migrate\n    up for more");
});

test("no line is wider than the terminal unless it is one word, no word is lost, and colours have no width", () => {
  const word = fc.stringMatching(/^[a-zé漢]{1,12}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 30 }), fc.integer({ min: 20, max: 60 }), (words, width) => {
      const painted = words.map((text, index) => (index % 3 === 0 ? `\u001b[31m${text}\u001b[0m` : text));
      const lines = wrap(`  ${painted.join(" ")}`, width).split("\n");
      for (const line of lines) expect(displayWidth(line) <= width || line.trim().split(" ").length === 1).toBe(true);
      expect(lines.map((line) => line.trim()).join(" ")).toBe(painted.join(" "));
    }),
  );
});

test("truncated texts fit, and mark the missing end", () => {
  expect(cutEnd("abcdef", 4)).toBe("abc…");
  expect(cutBeginning("data/metrics.db", 8)).toBe("…rics.db");
  expect(cutEnd("漢字漢字", 5)).toBe("漢字…");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 20 }), (text, width) => {
      const shown = printable(text);
      expect(displayWidth(cutEnd(shown, width))).toBeLessThanOrEqual(width);
      expect(displayWidth(cutBeginning(shown, width))).toBeLessThanOrEqual(width);
    }),
  );
});

test("escapes control and invisible characters", () => {
  expect(printable("a\u001b[2J\u009b\r\n\u202e\u200b\u00ad\ud800\u{e0041}\u061c é漢😀")).toBe(
    "a\\u001b[2J\\u009b\\u000d\\u000a\\u202e\\u200b\\u00ad\\ud800\\u{e0041}\\u061c é漢😀",
  );
});

test("jsonText escapes control characters, and keeps its meaning", () => {
  const value = { name: "a\u009b2J\u007f\u2028" };
  expect(jsonText(value)).toBe('{"name":"a\\u009b2J\\u007f\\u2028"}');
  expect(JSON.parse(jsonText(value))).toEqual(value);
});

test("the width without a terminal is infinite", () => {
  expect([widthOf({}), widthOf({ isTTY: true }), widthOf({ isTTY: true, columns: 200 })]).toEqual([Infinity, 80, 120]);
});
