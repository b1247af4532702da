import type { schema } from "@stryker-mutator/api/core";

export const FILE = "packages/v16/src/less.ts";
export const SOURCE = "const a = 1;\nexport const isLess = (b: number) => b < a;\n";

/** On one line, from one column to another. */
export function mutant(
  status: schema.MutantStatus,
  line: number,
  [from, to]: [number, number],
  replacement: string,
): schema.MutantResult {
  const location = { start: { line, column: from }, end: { line, column: to } };
  return { id: `${line}:${from} ${replacement}`, mutatorName: "", status, replacement, location };
}

/** A report of Stryker on one file. */
export function reportOf(
  source: string,
  mutants: schema.MutantResult[],
  file: string = FILE,
): schema.MutationTestResult {
  const files = { [file]: { language: "typescript", source, mutants } };
  return { schemaVersion: "1.0", thresholds: { high: 80, low: 60 }, files };
}

/** One of each fate. */
export const LESS = [
  mutant("Survived", 2, [38, 43], "b <= a"),
  mutant("Killed", 2, [38, 43], "true"),
  mutant("Timeout", 2, [38, 43], "false"),
  mutant("NoCoverage", 1, [11, 12], "0"),
  mutant("RuntimeError", 2, [23, 43], "undefined"),
];
