import { createHash } from "node:crypto";
import { identityOf, type LeftMutant, type TestedMutant } from "./left_mutant.ts";

/** What is tried on a mutant: all tests that concern the file, or the cases of the conformance suite alone. */
export const SUITES = ["conformance", "whole"] as const;
export type Suite = (typeof SUITES)[number];

/** What became of the mutants of one source file. */
export interface FileResult {
  /** Of the source; a result is stale when it is another. */
  sha256: string;
  killed: number;
  timeout: number;
  survived: number;
  no_coverage: number;
  /** Mutants with which the tests could not be loaded: neither killed nor survived, and in no score. */
  error: number;
  /** Those that survived and those that nothing reached, in the order of the source. */
  left: LeftMutant[];
}

export const hashOf = (source: string): string => createHash("sha256").update(source).digest("hex");

/** Counts the mutants of a file. */
export function fileResult(source: string, mutants: readonly TestedMutant[]): FileResult {
  const counts = { Killed: 0, Timeout: 0, Survived: 0, NoCoverage: 0, Error: 0 };
  for (const { status } of mutants) {
    if (status === "RuntimeError" || status === "CompileError") counts.Error += 1;
    else if (status in counts) counts[status as keyof typeof counts] += 1;
    else throw new Error(`a mutant has the status ${status}, which this report does not know`);
  }
  const left = mutants
    .filter(({ status }) => status === "Survived" || status === "NoCoverage")
    .map((mutant) => ({ mutant, place: mutant.location.start }))
    .sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)
    .map(({ mutant }) => ({ ...identityOf(source, mutant), reached: mutant.status === "Survived" }));
  return {
    sha256: hashOf(source),
    killed: counts.Killed,
    timeout: counts.Timeout,
    survived: counts.Survived,
    no_coverage: counts.NoCoverage,
    error: counts.Error,
    left,
  };
}

/**
 * True for a file of which the conformance suite runs nothing at all: what it offers is no part of the specification, and
 * there is no request by which a case could ask for it.
 */
export function isBeyondReach({ killed, timeout, survived, no_coverage }: FileResult): boolean {
  return killed + timeout + survived === 0 && no_coverage > 0;
}

/** Killed and timed out, of all that count. */
export function scoreOf(results: readonly Omit<FileResult, "sha256" | "left">[]): { found: number; of: number } {
  let [found, of] = [0, 0];
  for (const { killed, timeout, survived, no_coverage } of results) {
    found += killed + timeout;
    of += killed + timeout + survived + no_coverage;
  }
  return { found, of };
}
