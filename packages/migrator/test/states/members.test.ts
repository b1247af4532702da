import fc from "fast-check";
import { expect, test } from "vitest";
import { membersOf } from "../../src/archive/format/state_file.ts";

test("splits any JSON object into members without changing a character", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }),
      fc.constantFrom(undefined, 2, "\t"),
      (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const members = membersOf(text);
        expect(members.map(({ key }) => key)).toEqual(Object.keys(JSON.parse(text) as object));
        expect(JSON.parse(`{${members.map((member) => member.text).join(",")}}`)).toEqual(JSON.parse(text));
        for (const member of members) expect(text).toContain(member.text);
      },
    ),
  );
});

test("keeps numbers, escapes and spaces that a parser would change", () => {
  expect(membersOf('\ufeff{ "a" : 1.0, "big":12345678901234567890,"e\\u0301,}": [ {"x":"}\\""} ,NaN ] }')).toEqual([
    { key: "a", text: '"a" : 1.0' },
    { key: "big", text: '"big":12345678901234567890' },
    { key: "e\u0301,}", text: '"e\\u0301,}": [ {"x":"}\\""} ,NaN ]' },
  ]);
});
