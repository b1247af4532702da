import fc from "fast-check";
import { expect, it } from "vitest";
import { violations } from "../src/values/schemas.ts";
import { checkAnswer } from "../src/protocol/check_answer.ts";
import type { Request } from "../src/protocol/messages.ts";

const request: Request = { seq: 1, type: "call", op: "get_all_users", args: {} };

/** Values near the limits of the protocol's form, as JSON text. */
const { text: anyValue } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("null", "true", "0", "1e999", '"a"', '"12"', '"-7"', '"1.5"', '"NaN"', "[]", "{}"),
    fc.array(tie("text"), { maxLength: 3 }).map((items) => `[${items.join(",")}]`),
    fc
      .array(fc.tuple(fc.constantFrom("$int", "$number", "$ints", "a", "__proto__"), tie("text")), { maxLength: 3 })
      .map((members) => `{${members.map(([key, value]) => `"${key}":${value}`).join(",")}}`),
  ),
}));

it("accepts the values that the schema accepts, and no other", () => {
  let accepted = 0;
  let refused = 0;
  fc.assert(
    fc.property(anyValue, fc.constantFrom("", ',"more":1', ',"kind":"other"'), (value, more) => {
      const reply = `{"seq":1,"type":"ok","value":${value}${more}}`;
      const faults = violations("protocol", JSON.parse(reply), "answer_to_call");
      if (faults.length === 0) {
        accepted += 1;
        expect(JSON.stringify(checkAnswer(reply, request))).toBe(JSON.stringify(JSON.parse(reply)));
      } else {
        refused += 1;
        const named = violations("protocol", JSON.parse(reply), "call_ok");
        expect(() => checkAnswer(reply, request)).toThrow(named.join("; "));
      }
    }),
    { numRuns: 1000 },
  );
  expect(Math.min(accepted, refused)).toBeGreaterThan(50);
});

it.each([
  ['"type":"ok","value":1,"took":3', 'the document must NOT have additional properties ("took"); received'],
  ['"type":"error","kind":"ValueError","native":"E","message":""', "/kind must be equal to one of the allowed values"],
  ['"type":"unsupported"', "the document must have required property 'reason'; received"],
  ['"type":"fine","value":1', "/type must be equal to one of the allowed values: ok, error, unsupported; received"],
  ['"value":1', "the document must have required property 'type'; received"],
])("names only faults of the kind of answer that %s has", (members, words) => {
  expect(() => checkAnswer(`{"seq":1,${members}}`, request)).toThrow(`the adapter's answer is invalid: ${words}`);
});
