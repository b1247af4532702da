import { expect, test } from "vitest";
import { readCorpus } from "../src/corpus/corpus.ts";
import { stepLines, wordsFor } from "../src/corpus/step_text.ts";
import { MATCHERS } from "../src/matching/match.ts";
import { describe } from "../src/matching/describe.ts";

test("every step of every case is explained without the syntax of matchers", () => {
  for (const { case: tested } of readCorpus().cases)
    for (const step of tested.steps)
      for (const line of stepLines(step))
        for (const matcher of [...MATCHERS, "$int", "$number", "$repeat"])
          expect(line.includes(`{"${matcher}"`) ? `${tested.id}: ${line}` : "").toBe("");
});

test("a step is in words: repeated calls, other writers, second names, permissions and line ends", () => {
  const call = { call: "save_state", handle: "states", args: { user_id: "user-{n}" } };
  expect(stepLines({ ...call, times: 3 })).toEqual([
    'for each {n} from 1 to 3: call save_state of states with {"user_id":"user-{n}"}',
  ]);
  expect(stepLines({ ...call, locked: "a.db" })).toEqual([
    'call save_state of states with {"user_id":"user-{n}"} while another program writes to a.db',
  ]);
  expect(wordsFor({ ...call, locked: "a.db" })).toBe("call save_state while another program writes to a.db");
  expect(wordsFor({ ...call, locked: "a.db", until: "answered" })).toBe(
    "call save_state while another program writes to a.db until the answer, for six seconds at most",
  );
  expect(stepLines({ put: "b", link: "a" })).toEqual(["provide b: another name of a (a hard link)"]);
  expect(stepLines({ put: "b", symlink: "a" })).toEqual(["provide b: a symbolic link to a"]);
  expect(stepLines({ put: "a", text: "x", mode: "640" })).toEqual(["provide a: x (permissions 640)"]);
  expect(stepLines({ put: "a", text: "x", newline: "crlf" })).toEqual(["provide a: x (with CRLF line ends)"]);
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
