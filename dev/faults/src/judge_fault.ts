import { commandAdapter, runSuite } from "@perdura/conformance";
import type { CaseRecord, Level, Line } from "@perdura/conformance";
import { areaOf } from "../../../packages/conformance/src/corpus/case.ts";
import { readCorpus } from "../../../packages/conformance/src/corpus/corpus.ts";
import { isLarge } from "../../selftest/src/large_cases.ts";
import { withFaultyCopy } from "./faulty_copy.ts";
import type { FaultyImplementation, SeededFault } from "./seeded_fault.ts";

/** Levels of cases, the strongest first. */
export const LEVELS = ["must", "should", "observe", "extra"] as const satisfies readonly Level[];

/** The strongest evidence that the suite gave against a fault. */
export interface Evidence {
  /** Undefined if every case passed. */
  level?: (typeof LEVELS)[number];
  /** A failed case of that level: that of the last run if it still fails, else the first. */
  case?: string;
}

/** All cases of a level, in the order of their ids. */
export const casesOf = (level: Level): string[] =>
  readCorpus()
    .cases.filter((loaded) => loaded.level === level)
    .map((loaded) => loaded.case.id);

/**
 * Makes a mistake in a copy of an implementation, and lets the suite judge the copy until a case fails, from the
 * strongest level to the weakest.
 * @param last evidence of the last run: its case is the first one of its level.
 * @param candidates the cases of a level that can fail; all by default.
 * @throws {Error} if the copy does not build or start: that says nothing about the suite.
 */
export async function judgeFault(
  root: string,
  implementation: FaultyImplementation,
  fault: SeededFault,
  last: Evidence = {},
  candidates: (level: Level) => readonly string[] = casesOf,
): Promise<Evidence> {
  return withFaultyCopy(root, implementation, [fault], async (commandOf) => {
    for (const level of LEVELS)
      for (const cases of byDuration(candidates(level), last.level === level ? last.case : undefined))
        for (const line of fault.lines) {
          const [failed] = await failedCases(commandOf(line), line, cases, true);
          if (failed !== undefined) return { level, case: failed };
        }
    return {};
  });
}

/** The most likely case first, and those that take longest last. */
function byDuration(cases: readonly string[], likely: string | undefined): string[][] {
  const isLong = (id: string): boolean => areaOf(id) === "generated" || isLarge({ id });
  return [likely === undefined ? [] : [likely], cases.filter((id) => !isLong(id)), cases.filter(isLong)];
}

const FAILED: ReadonlySet<CaseRecord["verdict"]> = new Set(["fail", "crash", "timeout", "protocol-error"]);

/**
 * Ids of the cases that one line of an implementation fails.
 * @param isFirstEnough true to end the run at the first failure.
 * @throws {Error} if the adapter does not start.
 */
export async function failedCases(
  command: readonly string[],
  line: Line,
  cases: readonly string[],
  isFirstEnough = false,
): Promise<string[]> {
  if (cases.length === 0) return [];
  const adapter = commandAdapter(command.map((word) => `'${word}'`).join(" "));
  const failed: string[] = [];
  const enough = new AbortController();
  const { records, summary } = await runSuite({
    adapter,
    line,
    cases,
    signal: enough.signal,
    onRecord: (record) => {
      if (record.record !== "case" || !FAILED.has(record.verdict)) return;
      failed.push(record.id);
      if (isFirstEnough) enough.abort();
    },
  });
  if (records.some((record) => record.record === "run" && record.implementation === null))
    throw new Error(`no case was run with ${adapter.name}: ${summary.notes.join("; ")}`);
  return failed;
}
