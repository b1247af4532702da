import { posix } from "node:path";
import type { RunSettings } from "../run/run_settings.ts";
import { explainer } from "./explanations.ts";
import { type FileResult, hashOf } from "./file_result.ts";
import { identityOf, keyOf, type TestedMutant } from "./left_mutant.ts";
import { readFolder } from "./results_folder.ts";

/** What a run over all tests need not try: what was found before, or is left with an explanation. */
export type KnownBefore = (mutant: TestedMutant) => "found" | "explained" | undefined;

/**
 * What is known of the mutants of a file from results of this very source: those of the conformance suite, and, where only
 * what is left is tried again, those of all tests.
 */
export function knownBefore(
  root: string,
  file: string,
  source: string,
  { left, every }: Pick<RunSettings, "left" | "every">,
): KnownBefore {
  const { conformance, whole } = readFolder(root, posix.dirname(file))[posix.basename(file)] ?? {};
  const isUsable = (result: FileResult | undefined, oneOf: number): result is FileResult =>
    result?.sha256 === hashOf(source) && result.error === 0 && (result.one_of ?? 1) === oneOf;
  const leftBy: ReadonlySet<string>[] = [];
  if (isUsable(conformance, 1)) leftBy.push(keysOf(conformance));
  if (left && isUsable(whole, every)) leftBy.push(keysOf(whole));
  const isExplained = left ? explainer(root) : undefined;
  return (mutant) => {
    const identity = identityOf(source, mutant);
    const key = keyOf(identity);
    if (leftBy.some((keys) => !keys.has(key))) return "found";
    return isExplained?.("whole", file, identity) === true ? "explained" : undefined;
  };
}

/** Whether tests that are not tried now reached a mutant of this very source, none of which noticed it. */
export function reachedBefore(
  root: string,
  file: string,
  source: string,
  { tests }: Pick<RunSettings, "tests">,
): (mutant: TestedMutant) => boolean {
  const { whole } = readFolder(root, posix.dirname(file))[posix.basename(file)] ?? {};
  if (tests.length === 0 || whole?.sha256 !== hashOf(source)) return () => false;
  const reached = new Set(whole.left.filter((one) => one.reached).map(keyOf));
  return (mutant) => reached.has(keyOf(identityOf(source, mutant)));
}

function keysOf({ left }: FileResult): Set<string> {
  return new Set(left.map(keyOf));
}
