import { expect, it } from "vitest";
import { inRange, onLine, parseRange, parseVersion } from "../src/corpus/version_range.ts";

it.each([
  ["15.9.9", "<16.0.0-0", true],
  ["16.0.0-0", "<16.0.0-0", false],
  ["16.0.0-rc.1", "<16.0.0-0", false],
  ["16.0.0-rc.1", ">=16.0.0-0", true],
  ["16.0.0", ">=16.0.0-0", true],
  ["15.99.99", ">=16.0.0-0", false],
  ["16.3.1", ">=16.0.0-0 <17.0.0-0", true],
  ["17.0.0-alpha", ">=16.0.0-0 <17.0.0-0", false],
  ["16.1.0-rc.1", ">=16.0.0-0", true],
  ["15.9.0-beta.2", "<16.0.0-0", true],
  ["1.2.3", "*", true],
  ["1.2.3-rc.1", "*", true],
  ["1.2.3+build.5", "=1.2.3", true],
] as const)("%s in %s is %s", (version, range, expected) => {
  expect(inRange(version, range)).toBe(expected);
});

it("orders prereleases as Semantic Versioning does", () => {
  const ordered = [
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1",
  ];
  for (const [place, version] of ordered.entries())
    for (const [other, bound] of ordered.entries())
      expect(`${version} >${bound} ${inRange(version, `>${bound}`)}`).toBe(`${version} >${bound} ${place > other}`);
});

it("refuses text that is not a version or a bound", () => {
  for (const text of ["16", "16.0", "v16.0.0", "=16.0.0", "16.00.0", "16.0.0-01", "16.0.0.1", " 16.0.0", "16.0.0 ", ""])
    expect(() => parseVersion(text), text).toThrow(/not a version/);
  for (const text of ["^16.0.0", "~16.0.0", "16.0.0", "15.0.0 - 16.0.0", ">=15.0.0 || <14.0.0", "", ">=16.0.0 x"])
    expect(() => parseRange(text), text).toThrow(/not a bound/);
  for (const text of [">=16", ">=16.x", ">=v16.0.0", "<=16.0.0.1"])
    expect(() => parseRange(text), text).toThrow(/not a version/);
});

it("determines the line of a version", () => {
  expect(onLine("16.0.0-rc.1", "16")).toBe(true);
  expect(onLine("15.0.0", "16")).toBe(false);
  expect(onLine("16.0.0-rc.1", "16.0.0-rc.1")).toBe(true);
});
