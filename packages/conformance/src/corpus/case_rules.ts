import { capabilityOf } from "../protocol/operations.ts";
import { isObject } from "../values/json_value.ts";
import type { Case, Step } from "./case.ts";
import type { Requirement } from "./requirements.ts";
import { parseRange } from "./version_range.ts";

/**
 * Rules for cases that a schema cannot express. Returns one sentence for each fault; a correct case has none.
 * - the id equals the path of the file;
 * - every requirement exists, and all have one level, because the case takes its level from them;
 * - operations exist, handles are kept before they are used and not used after a settling;
 * - a check that a file meets a requirement is about a requirement that the case cites, and a must;
 * - `$oneOf` accepts more than one answer, so it belongs to open questions (`U-` ids) only.
 */
export function caseFaults(tested: Case, place: string, requirements: Map<string, Requirement>): string[] {
  const faults: string[] = [];
  if (tested.id !== place) faults.push(`the id "${tested.id}" differs from the path of the file`);
  const levels = new Set<string>();
  for (const id of tested.requirements) {
    const requirement = requirements.get(id);
    if (requirement) levels.add(requirement.level);
    else faults.push(`the requirement ${id} does not exist`);
  }
  for (const id of tested.assumes ?? []) {
    if (!requirements.has(id)) faults.push(`the ruling ${id} does not exist`);
    if (tested.requirements.includes(id)) faults.push(`${id} is checked, so it cannot be assumed`);
  }
  if (levels.size > 1)
    faults.push(`the requirements have different levels (${[...levels].join(", ")}): split the case`);
  if (usesKey(tested, "$oneOf") && !tested.requirements.every((id) => id.startsWith("U-"))) {
    faults.push("$oneOf is for open questions (U- ids) only");
  }
  if (tested.steps.length > 1 && tested.steps.some((step) => "generate" in step))
    faults.push("generated sequences are the only step of their case");
  const last = tested.steps.at(-1);
  if (last && "call" in last && last.expect !== undefined && "any" in last.expect)
    faults.push("a call that accepts any answer must be followed by a step that checks its effect");
  for (const range of [tested.versions, ...tested.steps.map((step) => step.versions)]) {
    const fault = range === undefined ? undefined : rangeFault(range);
    if (fault !== undefined) faults.push(fault);
  }
  for (const id of metRequirements(tested)) {
    if (!tested.requirements.includes(id)) faults.push(`a file must meet ${id}, which the case does not cite`);
    else if (requirements.get(id)?.level !== "must")
      faults.push(`a check cannot ask that a file meets ${id}: not a must`);
  }
  return [...faults, ...stepFaults(tested), ...duplicateCheckIds(tested), ...answerFaults(tested, requirements)];
}

function rangeFault(range: string): string | undefined {
  try {
    parseRange(range);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Answers must belong to an open question that the case cites, be known answers of it, and include our ruling. */
function answerFaults(tested: Case, requirements: Map<string, Requirement>): string[] {
  const faults: string[] = [];
  for (const [index, step] of tested.steps.entries()) {
    const wanted = "call" in step ? step.expect : step;
    if (wanted === undefined || !("answers" in wanted)) continue;
    const questions = tested.requirements.filter((id) => id.startsWith("U-"));
    const named = "question" in step ? step.question : undefined;
    const question = named ?? (questions.length === 1 ? questions[0] : undefined);
    const row = question !== undefined && questions.includes(question) ? requirements.get(question) : undefined;
    if (row?.answers === undefined) {
      faults.push(`step ${index + 1}: its answers require one open question that the case cites`);
      continue;
    }
    for (const answer of Object.keys(wanted.answers)) {
      if (!Object.hasOwn(row.answers, answer)) faults.push(`step ${index + 1}: ${row.id} has no answer "${answer}"`);
    }
    if (!Object.hasOwn(wanted.answers, row.ruling ?? ""))
      faults.push(`step ${index + 1}: the ruling is not among the answers`);
  }
  return faults;
}

function stepFaults(tested: Case): string[] {
  const faults: string[] = [];
  let kept = new Set<string>();
  for (const [index, step] of tested.steps.entries()) {
    if ("call" in step) {
      if (capabilityOf(step.call) === undefined)
        faults.push(`step ${index + 1}: the operation ${step.call} does not exist`);
      if (step.handle !== undefined && !kept.has(step.handle))
        faults.push(`step ${index + 1}: no object is kept as "${step.handle}"`);
      if (step.keep !== undefined) kept.add(step.keep);
    } else if ("kill" in step && !("call" in (tested.steps[index - 1] ?? {}))) {
      faults.push(`step ${index + 1}: the step before a kill must be a call`);
    } else if (!keepsObjectsOpen(step)) {
      // Settling, killing, inspecting and providing files all release the handles.
      kept = new Set();
    }
  }
  return faults;
}

/** Requirements that files must meet, as `check-file` judges them. */
function metRequirements(tested: Case): string[] {
  return tested.steps.flatMap((step) => {
    if (!("inspect" in step) || step.inspect !== "sqlite") return [];
    const choices = "answers" in step ? Object.values(step.answers) : [step];
    return choices.flatMap(({ checks }) => checks.flatMap((check) => ("meets" in check ? [check.meets] : [])));
  });
}

function duplicateCheckIds(tested: Case): string[] {
  const seen = new Set<string>();
  const faults: string[] = [];
  for (const step of tested.steps) {
    for (const id of checkIdsOf(step)) {
      if (seen.has(id)) faults.push(`two checks have the id "${id}"`);
      seen.add(id);
    }
  }
  return faults;
}

/** Ids of the checks of one step; answers to one question may share theirs. */
function checkIdsOf(step: Step): string[] {
  const wanted = "call" in step ? step.expect : step;
  if (wanted === undefined) return [];
  const idsOf = (choice: object): string[] =>
    "checks" in choice ? (choice.checks as { id: string }[]).map((check) => check.id) : [];
  return "answers" in wanted ? [...new Set(Object.values(wanted.answers).flatMap(idsOf))] : idsOf(wanted);
}

/** Ids of all checks of a case, for lists that name them. */
export function checkIds(tested: Case): Set<string> {
  return new Set(tested.steps.flatMap(checkIdsOf));
}

function usesKey(value: unknown, key: string): boolean {
  if (Array.isArray(value)) return value.some((item) => usesKey(item, key));
  return isObject(value) && Object.entries(value).some(([name, member]) => name === key || usesKey(member, key));
}

/** True for a step before which the implementation is not settled. */
export function keepsObjectsOpen(step: Step): boolean {
  const isOther = "call" in step || "remove" in step || "next_second" in step;
  return isOther || (("write" in step || "put" in step) && step.open === true);
}
