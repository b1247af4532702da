import type { Level } from "@perdura/conformance";
import { judgeFault, LEVELS, type Evidence } from "./judge_fault.ts";
import { groups, suspects } from "./judge_together.ts";
import { keepResult, readResults } from "./results.ts";
import type { FaultyImplementation, SeededFault } from "./seeded_fault.ts";

/**
 * Judges faults and keeps the results.
 * @param tell called with each result.
 */
export async function judgeFaults(
  root: string,
  implementation: FaultyImplementation,
  faults: readonly SeededFault[],
  tell: (fault: SeededFault, evidence: Evidence) => void,
): Promise<void> {
  const known = readResults(root)[implementation.name] ?? {};
  const keep = (fault: SeededFault, evidence: Evidence): void => {
    keepResult(root, implementation.name, fault.name, evidence);
    tell(fault, evidence);
  };
  const unseen: SeededFault[] = [];
  for (const fault of faults) {
    const last = known[fault.name];
    // Nothing is stronger than must: the case that found the fault last time says it all if it still does.
    const candidates = last?.level === "must" ? () => [] : undefined;
    const isAlone = last === undefined || last.level === "must";
    const evidence = isAlone ? await judgeFault(root, implementation, fault, last, candidates) : {};
    if (last === undefined || evidence.level === "must") keep(fault, evidence);
    else unseen.push(fault);
  }
  // Whether a stronger level finds them now is asked of many at once; of those whose case finds them no longer, whether any does.
  for (const [level, part] of Map.groupBy(unseen, ({ name }) => known[name]?.level)) {
    const isLost = level === undefined || level === "must";
    const stronger = isLost ? LEVELS : LEVELS.slice(0, LEVELS.indexOf(level));
    for (const group of groups(root, implementation, part)) await judgeGroup(group, stronger);
  }

  async function judgeGroup(group: readonly SeededFault[], levels: readonly Level[]): Promise<void> {
    const candidates = await suspects(root, implementation, group, levels).catch((error: unknown) => {
      if (group.length === 1) throw error;
    });
    if (candidates === undefined) {
      // Changes that build one by one need not build together.
      const half = Math.ceil(group.length / 2);
      for (const part of [group.slice(0, half), group.slice(half)]) await judgeGroup(part, levels);
      return;
    }
    for (const fault of group)
      keep(fault, await judgeFault(root, implementation, fault, known[fault.name], candidates));
  }
}
