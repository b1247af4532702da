import fc from "fast-check";
import { expect, test } from "vitest";
import { membersOf } from "../../src/archive/states/state_file.ts";

test("members are cut out of any JSON object character for character", () => {
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

test("what a parser would bend stays as it was written", () => {
  expect(membersOf('\ufeff{ "a" : 1.0, "big":12345678901234567890,"e\\u0301,}": [ {"x":"}\\""} ,NaN ] }')).toEqual([
    { key: "a", text: '"a" : 1.0' },
    { key: "big", text: '"big":12345678901234567890' },
    { key: "e\u0301,}", text: '"e\\u0301,}": [ {"x":"}\\""} ,NaN ]' },
  ]);
});
