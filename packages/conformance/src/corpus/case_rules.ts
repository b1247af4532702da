import { capabilityOf } from "../protocol/operations.ts";
import { isObject } from "../values/json_value.ts";
import type { Case } from "./case.ts";
import type { Requirement } from "./requirement.ts";
import { parseRange } from "../runner/version_range.ts";

/**
 * What a schema cannot say about a case. Each fault is one sentence; a clean case gives none.
 * - the id is the file's place;
 * - every requirement exists, and all have one level, because the case takes its level from them;
 * - operations exist, handles are kept before they are used and not used after a settling;
 * - `$oneOf` accepts more than one answer, so it belongs to open questions (`U-` ids) only.
 */
export function caseFaults(tested: Case, place: string, requirements: Map<string, Requirement>): string[] {
  const faults: string[] = [];
  if (tested.id !== place) faults.push(`the id "${tested.id}" is not the file's place`);
  const levels = new Set<string>();
  for (const id of tested.requirements) {
    const requirement = requirements.get(id);
    if (requirement) levels.add(requirement.level);
    else faults.push(`the requirement ${id} does not exist`);
  }
  if (levels.size > 1)
    faults.push(`the requirements have different levels (${[...levels].join(", ")}): split the case`);
  if (usesKey(tested, "$oneOf") && !tested.requirements.every((id) => id.startsWith("U-"))) {
    faults.push("$oneOf is for open questions (U- ids) only");
  }
  for (const range of [tested.versions, ...tested.steps.map((step) => step.versions)]) {
    if (range !== undefined) parseRange(range);
  }
  return [...faults, ...stepFaults(tested), ...duplicateCheckIds(tested)];
}

function stepFaults(tested: Case): string[] {
  const faults: string[] = [];
  let kept = new Set<string>();
  for (const [index, step] of tested.steps.entries()) {
    if ("call" in step) {
      if (capabilityOf(step.call) === undefined)
        faults.push(`step ${index + 1}: the operation ${step.call} does not exist`);
      if (step.handle !== undefined && !kept.has(step.handle))
        faults.push(`step ${index + 1}: nothing is kept as "${step.handle}"`);
      if (step.keep !== undefined) kept.add(step.keep);
    } else {
      // Settling, inspecting and handing over files all release the handles.
      kept = new Set();
    }
  }
  return faults;
}

function duplicateCheckIds(tested: Case): string[] {
  const seen = new Set<string>();
  const faults: string[] = [];
  for (const step of tested.steps) {
    const checks =
      "call" in step && step.expect && "checks" in step.expect
        ? step.expect.checks
        : "checks" in step
          ? step.checks
          : [];
    for (const { id } of checks) {
      if (seen.has(id)) faults.push(`two checks have the id "${id}"`);
      seen.add(id);
    }
  }
  return faults;
}

function usesKey(value: unknown, key: string): boolean {
  if (Array.isArray(value)) return value.some((item) => usesKey(item, key));
  return isObject(value) && Object.entries(value).some(([name, member]) => name === key || usesKey(member, key));
}
