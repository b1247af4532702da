import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { TestedMutant } from "../src/results/left_mutant.ts";

export const FOLDER = "packages/v16/src";
export const SOURCE = "const a = 1;\nexport const isLess = (b: number) => b < a;\n";

/** A repository with one source. */
export function repository(): string {
  const root = mkdtempSync(join(tmpdir(), "perdura-test-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, FOLDER), { recursive: true });
  writeFileSync(join(root, FOLDER, "less.ts"), SOURCE);
  return root;
}

/** On one line, from one column to another. */
export function mutant(status: string, line: number, from: number, to: number, replacement: string): TestedMutant {
  return { status, replacement, location: { start: { line, column: from }, end: { line, column: to } } };
}

/** One of each fate. */
export const LESS = [
  mutant("Survived", 2, 38, 43, "b <= a"),
  mutant("Killed", 2, 38, 43, "true"),
  mutant("Timeout", 2, 38, 43, "false"),
  mutant("NoCoverage", 1, 11, 12, "0"),
  mutant("RuntimeError", 2, 23, 43, "undefined"),
];
