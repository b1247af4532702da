import { isUtf8 } from "node:buffer";
import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { isNotUtf8, mayNotBeUtf8 } from "@perdura/internals/validity/utf8_text.js";
import fc from "fast-check";
import { expect, test } from "vitest";

const byte = fc.oneof(
  fc.integer({ min: 0, max: 255 }),
  fc.constantFrom(0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef),
  fc.constantFrom(0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff),
);
const text = fc.string({ unit: "binary" }).map((value) => [...Buffer.from(value.toWellFormed())]);
const bytes = fc
  .array(fc.oneof(text, fc.array(byte, { maxLength: 5 })), { maxLength: 4 })
  .map((parts) => Buffer.from(parts.flat()));

test("SQL finds exactly the texts that are not UTF-8", () => {
  const database = openDatabase(":memory:", { intent: "record" });
  const ask = (condition: string): ((given: Buffer) => unknown) => {
    const statement = database.prepare(`SELECT ${condition} FROM (SELECT CAST(? AS TEXT) AS t)`).pluck();
    return (given) => statement.get(given);
  };
  const [isFound, isSought] = [ask(isNotUtf8("t")), ask(mayNotBeUtf8("t"))];
  fc.assert(
    fc.property(bytes, (given) => {
      expect(isFound(given)).toBe(isUtf8(given) ? 0 : 1);
      if (!isUtf8(given)) expect(isSought(given)).toBe(1);
    }),
    { numRuns: 5000 },
  );
  for (const other of ["x'ff'", "NULL", "1", "1.5"])
    expect(
      database
        .prepare(`SELECT ifnull(${isNotUtf8(other)}, 0)`)
        .pluck()
        .get(),
    ).toBe(0);
  database.close();
});
