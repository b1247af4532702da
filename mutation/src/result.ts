import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { resultFile, ROOT, type Unit } from "./units.ts";

/** A mutant that nothing noticed. */
export interface Survivor {
  /** From 1. */
  line: number;
  column: number;
  /** What Stryker calls this kind of change. */
  mutator: string;
  was: string;
  became: string;
  /** `uncovered`: no test came there. */
  status: "survived" | "uncovered";
}

/** What became of the mutants of one file. */
export interface FileResult {
  /** The first digits of the SHA-256 of the file that was mutated. */
  sha256: string;
  killed: number;
  /** Those that never came to an end count as noticed. */
  timeout: number;
  /** Those with which the sources cannot even be loaded. They say nothing of the tests, and count as nothing. */
  unloadable: number;
  survivors: Survivor[];
}

/** By path from the root. */
export type UnitResult = Record<string, FileResult>;

/** Reads a unit's result; undefined where there is none. */
export function readResult(suite: string, unit: string): UnitResult | undefined {
  const path = resultFile(suite, unit);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as UnitResult) : undefined;
}

/** Writes a unit's result. */
export function writeResult(suite: string, unit: string, result: UnitResult): void {
  const path = resultFile(suite, unit);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(result, null, 1)}\n`);
}

/** True where each file of a unit is as it was when the result was made. */
export function isCurrent({ files }: Unit, result: UnitResult | undefined): boolean {
  return result !== undefined && files.every((file) => result[file]?.sha256 === digestOf(file));
}

/** @param file From the root. */
export function digestOf(file: string, root: string = ROOT): string {
  return createHash("sha256")
    .update(readFileSync(join(root, file)))
    .digest("hex")
    .slice(0, 12);
}

/** Noticed, and all of them. */
export function countsOf(results: readonly UnitResult[]): { noticed: number; all: number } {
  const files = results.flatMap((result) => Object.values(result));
  const noticed = files.reduce((sum, { killed, timeout }) => sum + killed + timeout, 0);
  return { noticed, all: files.reduce((sum, { survivors }) => sum + survivors.length, noticed) };
}
