import fc from "fast-check";
import { expect, test } from "vitest";
import { TextTable } from "@perdura/internals/text/text_table.js";

/** Few letters, so that texts repeat, begin alike, and are equal except for a lone surrogate. */
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 3 }),
  fc.string({ unit: fc.constantFrom("", "a", "\0", "é", "\ud800", "\udc00", "\ufffd"), maxLength: 4 }),
);

test("numbers different texts in the order in which they were added", () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 300 }), fc.array(text), (added, asked) => {
      const table = new TextTable();
      const expected = new Map<string, number>();
      for (const one of added) {
        expect(table.add(one)).toBe(!expected.has(one));
        if (!expected.has(one)) expected.set(one, expected.size);
        expect(table.size).toBe(expected.size);
      }
      for (const one of [...added, ...asked]) {
        expect(table.indexOf(one)).toBe(expected.get(one) ?? -1);
        expect(table.has(one)).toBe(expected.has(one));
      }
    }),
  );
});

test("tells a lone surrogate from the character that UTF-8 has for it", () => {
  const table = new TextTable();
  for (const one of ["id-\ud800", "id-\ufffd", "id-\udc00", "id-\ud800\udc00"]) expect(table.add(one)).toBe(true);
  expect(table.indexOf("id-\ufffd")).toBe(1);
});

test("keeps many texts, and long ones", () => {
  const table = new TextTable();
  const long = "€".repeat(100_000);
  const texts = Array.from({ length: 50_000 }, (_, index) =>
    index % 10_000 === 7 ? `${long}${index}` : `id-${index}`,
  );
  for (const one of texts) expect(table.add(one)).toBe(true);
  expect(texts.map((one) => table.indexOf(one))).toEqual(texts.map((_, index) => index));
  expect(table.add("id-0")).toBe(false);
  expect(table.has("id-")).toBe(false);
  expect(table.has(long)).toBe(false);
});
