import { linkSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasExactName, listedName } from "@perdura/internals/files/exact_names.js";
import { describe, expect, test } from "vitest";
import { CASE_INSENSITIVE } from "../../../../test/case_insensitive.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

describe.each(CASE_INSENSITIVE)("on $kind", ({ open }) => {
  test("a name in another spelling is not exact, and listedName returns the exact one", (context) => {
    const directory = open(context);
    for (const [name, ...others] of [
      ["Metrics.db", "metrics.db", "METRICS.DB"],
      ["1.JSON", "1.json"],
      ["Ж", "ж"],
      ["straße", "STRAßE"],
      ["\u00fcn\u00efcode", "\u00dcN\u00cfCODE"],
    ] as const) {
      writeFileSync(join(directory, name), "");
      // HFS+ stores another spelling than it was given.
      const stored = readdirSync(directory).find((each) => each.normalize() === name) as string;
      expect([hasExactName(join(directory, stored)), listedName(join(directory, stored))]).toEqual([true, stored]);
      for (const other of others)
        expect([hasExactName(join(directory, other)), listedName(join(directory, other))]).toEqual([false, stored]);
    }
    expect(listedName(join(directory, "missing"))).toBeUndefined();
  });
});

test("the simulated HFS+ lists names decomposed, and finds them composed", (context) => {
  const directory = CASE_INSENSITIVE.find(({ kind }) => kind.includes("decomposes"))?.open(context) as string;
  writeFileSync(join(directory, "Jos\u00e9"), "");
  expect(readdirSync(directory)).toEqual(["Jose\u0301"]);
  for (const name of ["Jos\u00e9", "JOSE\u0301"])
    expect([hasExactName(join(directory, name)), listedName(join(directory, name))]).toEqual([false, "Jose\u0301"]);
});

test("names that differ only in case are all exact, even for hard links to one file", () => {
  const folder = freshFolder();
  writeFileSync(join(folder, "a.json"), "");
  linkSync(join(folder, "a.json"), join(folder, "A.JSON"));
  mkdirSync(join(folder, "A.json"));
  for (const name of ["a.json", "A.JSON", "A.json"]) expect(listedName(join(folder, name))).toBe(name);
});

test("finds a name whose decomposed spelling is too long for a file name", () => {
  const name = "\u00e9".repeat(127);
  const path = join(freshFolder(), name);
  writeFileSync(path, "");
  expect(listedName(path)).toBe(name);
});
