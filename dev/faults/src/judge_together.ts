import { join } from "node:path";
import type { Level } from "@perdura/conformance";
import { withFaultyCopy } from "./faulty_copy.ts";
import { casesOf, failedCases } from "./judge_fault.ts";
import { changedFiles, type FaultyImplementation, type SeededFault } from "./seeded_fault.ts";

/** Number of faults that are judged together: with more, more cases fail, and more faults hide others. */
const TOGETHER = 20;

/** Faults whose changes can be made in the same copy. */
export function groups(
  root: string,
  { folder }: FaultyImplementation,
  faults: readonly SeededFault[],
): SeededFault[][] {
  const made: SeededFault[][] = [];
  for (const fault of faults) {
    const open = made.find((group) => group.length < TOGETHER && fitTogether(join(root, folder), [...group, fault]));
    if (open) open.push(fault);
    else made.push([fault]);
  }
  return made;
}

function fitTogether(source: string, faults: readonly SeededFault[]): boolean {
  try {
    changedFiles(source, faults);
    return true;
  } catch {
    return false;
  }
}

/**
 * The cases that can fail with one of these faults; of the given levels, those that fail with all faults in one copy. Most
 * faults of a group fail none of them, and take a part of a run this way. One fault can hide another: results show at
 * least what the suite finds.
 * @param levels the levels that are judged together.
 * @param all the cases of a level.
 */
export async function suspects(
  root: string,
  implementation: FaultyImplementation,
  faults: readonly SeededFault[],
  levels: readonly Level[],
  all: (level: Level) => readonly string[] = casesOf,
): Promise<(level: Level) => readonly string[]> {
  if (faults.length === 1 || levels.length === 0) return all;
  const failing = await failingTogether(root, implementation, faults, levels.flatMap(all));
  return (level) => (levels.includes(level) ? all(level).filter((id) => failing.has(id)) : all(level));
}

async function failingTogether(
  root: string,
  implementation: FaultyImplementation,
  faults: readonly SeededFault[],
  cases: readonly string[],
): Promise<ReadonlySet<string>> {
  const lines = new Set(faults.flatMap((fault) => fault.lines));
  return withFaultyCopy(root, implementation, faults, async (commandOf) => {
    const failing = new Set<string>();
    for (const line of lines) for (const id of await failedCases(commandOf(line), line, cases)) failing.add(id);
    return failing;
  });
}
