import { expect, test } from "vitest";
import { suggestion } from "../src/suggestion.ts";

const WORDS = ["plan", "up", "verify", "down", "tombstone", "compat"];

test.each([
  ["plan", "plan"],
  ["plann", "plan"],
  ["pla", "plan"],
  ["paln", "plan"],
  ["lpan", "plan"],
  ["plna", "plan"],
  ["PLAN", "plan"],
  ["xplan", "plan"],
  ["p", "up"],
  ["upp", "up"],
  ["verfy", "verify"],
  ["evrify", "verify"],
  ["ver", "verify"],
  ["Veri", "verify"],
  ["tombston", "tombstone"],
  ["tmbston", "tombstone"],
  ["otmbstnoe", "tombstone"],
  ["tumbstune", "tombstone"],
  ["dwon", "down"],
])("for %j, suggests %s", (word, meant) => {
  expect(suggestion(word, WORDS)).toBe(` Did you mean ${meant}?`);
});

test.each(["", "xyz", "planet earth", "ve", "vr", "nalp", "pxxn", "tmbtn", "abc"])(
  "suggests nothing for %j",
  (word) => {
    expect(suggestion(word, WORDS)).toBe("");
  },
);

test("suggests the nearest word, and the first of equally near ones", () => {
  expect(suggestion("--fense", ["--fences", "--fence"])).toBe(" Did you mean --fence?");
  expect(suggestion("bat", ["cat", "rat"])).toBe(" Did you mean cat?");
  expect(suggestion("plans", ["planets", "plan"], "--")).toBe(" Did you mean --plan?");
  expect(suggestion("anything", [])).toBe("");
  // One letter is next to its place, and the other one missing.
  for (const other of ["xa", "bx"]) expect(suggestion("ab", [other])).toBe("");
});
