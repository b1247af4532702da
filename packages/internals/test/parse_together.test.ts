import { parseTogether } from "@perdura/internals/json/parse_together.js";
import fc from "fast-check";
import { expect, test } from "vitest";

test("reads each text as one value, or none of them", () => {
  const fragment = fc.string({ unit: fc.constantFrom(..."1,[]{}", '""', '"a":'), maxLength: 3 });
  const complete = fc.constantFrom("{}", "[]", '{"a":[1]}', '[1,{"a":""}]', " 1 ", "null");
  fc.assert(
    fc.property(fc.array(fc.oneof(fragment, complete), { maxLength: 4 }), (texts) => {
      const values = parseTogether(texts);
      if (values === undefined) expect(() => texts.map((text) => JSON.parse(text) as unknown)).toThrow(SyntaxError);
      else expect(values).toEqual(texts.map((text) => JSON.parse(text) as unknown));
    }),
    { numRuns: 5000 },
  );
});

test("does not read texts that are JSON only together", () => {
  expect(parseTogether(["1,2,3", "[4", "5]"])).toBeUndefined();
  expect(parseTogether(["[4", "5]", "1,2,3"])).toBeUndefined();
});

test.each([
  ["a number that a double would change", "0.12345678901234567890"],
  ["a number beyond a double", "1e400"],
  ["a key with an escape", '{"\\n":1}'],
  ["a long text", JSON.stringify("x".repeat(1 << 14))],
])("leaves %s to the reader of single texts", (_what, text) => {
  expect(parseTogether(["1", text])).toBeUndefined();
  expect(parseTogether(["1", "2"])).toEqual([1, 2]);
});
