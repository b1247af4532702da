import { expect, test } from "vitest";
import { readCorpus } from "../src/corpus/corpus.ts";
import { stepLines } from "../src/corpus/step_text.ts";
import { MATCHERS } from "../src/matching/match.ts";
import { describe } from "../src/matching/describe.ts";

test("every step of every case is explained without the syntax of matchers", () => {
  for (const { case: tested } of readCorpus().cases)
    for (const step of tested.steps)
      for (const line of stepLines(step))
        for (const matcher of [...MATCHERS, "$int", "$number", "$repeat"])
          expect(line.includes(`{"${matcher}"`) ? `${tested.id}: ${line}` : "").toBe("");
});

test.each([
  [{ a: { $timestamp: "seconds", recent: true } }, '{"a":a timestamp YYYY-MM-DDTHH:MM:SS of the current time}'],
  [{ $set: [{ $type: "string" }, 1] }, "[a value of type string,1] in any order"],
  [{ $near: [0.5, 0.01] }, "0.5 ± 0.01"],
  [{ $between: [1, 5] }, "a number from 1 to 5"],
  [{ $oneOf: ["a", null] }, 'one of ["a",null]'],
  [{ $absentOr: 1 }, "nothing, or 1"],
  [{ $int: "12345678901234567890" }, "12345678901234567890"],
  [{ $data: "pattern", with: { id: "p2" } }, 'the value pattern with {"id":"p2"}'],
  [{ $repeat: { text: "ab", times: 3 } }, '3 times "ab"'],
  [["x", { $any: true }], '["x",anything]'],
])("%j is described as %s", (expected, words) => {
  expect(describe(expected)).toBe(words);
});
