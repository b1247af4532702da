import { expect, test } from "vitest";
import { parseLog, subjectFaults } from "../../dev/tools/commits/subject_faults.ts";

const faults = (subject: string, parents = 1): string[] => subjectFaults({ hash: "a", subject, parents });

test.each([
  "cli: name the option in the error",
  "cli, migrator: name the option in the error",
  "packages/cli: name the option",
  "v15: keep `:` in names",
  `docs: ${"x".repeat(66)}`,
  `docs: ${"ü".repeat(66)}`,
])("accepts the subject %s", (subject) => {
  expect(faults(subject)).toEqual([]);
});

test.each([
  [`docs: ${"x".repeat(67)}`, "has 73 characters; at most 72 are allowed"],
  ["Name the option in the error", 'does not have the form "area: imperative subject"'],
  ["Docs: name the option", 'does not have the form "area: imperative subject"'],
  ["docs:name the option", 'does not have the form "area: imperative subject"'],
  ["docs: ", 'does not have the form "area: imperative subject"'],
  ["", 'does not have the form "area: imperative subject"'],
  ["docs: added a page", "is not in the imperative"],
  ["docs: fixes a page", "is not in the imperative"],
  ["docs: add a page.", "ends with a full stop"],
])("refuses the subject %j", (subject, fault) => {
  expect(faults(subject)).toEqual([fault]);
});

test("checks only the length of a merge", () => {
  expect(faults("Whatever its form", 2)).toEqual([]);
  // The last commit of a shallow clone has no parents.
  expect(faults("Merge 1a2b3c4 into 5d6e7f8", 0)).toEqual([]);
  expect(faults("M".repeat(73), 2)).toEqual(["has 73 characters; at most 72 are allowed"]);
});

test("reads the hash, the parents and the subject of each commit from a log", () => {
  expect(parseLog("a1\0b2 c3\0Merge: x\nb2\0\0first: begin\n")).toEqual([
    { hash: "a1", parents: 2, subject: "Merge: x" },
    { hash: "b2", parents: 0, subject: "first: begin" },
  ]);
});
