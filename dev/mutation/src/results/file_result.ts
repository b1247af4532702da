import { createHash } from "node:crypto";
import { identityOf, type LeftMutant, offsetOf, type TestedMutant } from "./left_mutant.ts";
import { wordsOfErrors } from "./words_of_errors.ts";

/** What is tried on a mutant: all tests that concern the file, or the cases of the conformance suite alone. */
export const SUITES = ["conformance", "whole"] as const;
export type Suite = (typeof SUITES)[number];

/** What became of the mutants of one source file. */
export interface FileResult {
  /** Of the source; a result is stale when it is another. */
  sha256: string;
  /** There where only one mutant of so many was tried: all that follows is about those. */
  one_of?: number;
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

/**
 * Counts the mutants of a file, whose text is in `source`.
 * @param every The mutants are one of so many.
 */
export function fileResult(source: string, mutants: readonly TestedMutant[], every: number = 1): FileResult {
  const counts = { Killed: 0, Timeout: 0, Survived: 0, NoCoverage: 0, Error: 0 };
  for (const { status } of mutants) {
    if (status === "RuntimeError" || status === "CompileError") counts.Error += 1;
    else if (status in counts) counts[status as keyof typeof counts] += 1;
    else throw new Error(`a mutant has the status ${status}, which this report does not know`);
  }
  const isWords = wordsOfErrors(source);
  const isOfError = ({ location: { start, end } }: TestedMutant): boolean =>
    isWords(offsetOf(source, start), offsetOf(source, end));
  const left = mutants
    .filter(({ status }) => status === "Survived" || status === "NoCoverage")
    .map((mutant) => ({ mutant, place: mutant.location.start }))
    .sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)
    .map(({ mutant }) => ({
      ...identityOf(source, mutant),
      reached: mutant.status === "Survived",
      ...(isOfError(mutant) && { words: true as const }),
    }));
  return {
    sha256: hashOf(source),
    ...(every > 1 && { one_of: every }),
    killed: counts.Killed,
    timeout: counts.Timeout,
    survived: counts.Survived,
    no_coverage: counts.NoCoverage,
    error: counts.Error,
    left,
  };
}

export interface Score {
  found: number;
  of: number;
}

/** Killed and timed out, of all. */
export function scoreOf({ killed, timeout, survived, no_coverage }: FileResult): Score {
  const found = killed + timeout;
  return { found, of: found + survived + no_coverage };
}

/** The same of those that some test reaches. */
export function reachedScoreOf(result: FileResult): Score {
  const { found, of } = scoreOf(result);
  return { found, of: of - result.no_coverage };
}

/**
 * The same for what the conformance suite can tell apart: without what no case reaches, which the specification does not
 * have, without the words of errors, which it leaves open, and without what is explained.
 */
export function suiteScoreOf(result: FileResult, isExplained: (left: LeftMutant) => boolean): Score {
  const { found } = scoreOf(result);
  const left = result.left.filter((one) => one.reached && !one.words && !isExplained(one));
  return { found, of: found + left.length };
}
