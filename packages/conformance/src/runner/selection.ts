import { areaOf } from "../corpus/case.ts";
import type { LoadedCase } from "../corpus/load_cases.ts";
import { capabilityOf } from "../protocol/operations.ts";
import { inRange } from "./version_range.ts";

/** Which cases to run; without any entry all of them. */
export interface Selection {
  /** Case ids. */
  cases?: readonly string[];
  /** Areas: the part of an id before the slash. */
  areas?: readonly string[];
  /** Requirement ids. */
  requirements?: readonly string[];
}

/** True when the case was asked for. */
export function isSelected(loaded: LoadedCase, selection: Selection): boolean {
  const { cases = [], areas = [], requirements = [] } = selection;
  if (cases.length + areas.length + requirements.length === 0) return true;
  const { id } = loaded.case;
  return (
    cases.includes(id) ||
    areas.includes(areaOf(id)) ||
    loaded.case.requirements.some((name) => requirements.includes(name))
  );
}

/** True when the case and all its requirements hold for the version. */
export function applies(loaded: LoadedCase, version: string): boolean {
  const ranges = [loaded.case.versions ?? "*", ...loaded.requirements.map((requirement) => requirement.versions)];
  return ranges.every((range) => inRange(version, range));
}

/** Capability groups that the case needs for this version and the adapter did not declare. */
export function missingCapabilities(loaded: LoadedCase, version: string, declared: readonly string[]): string[] {
  const needed = new Set(loaded.case.capabilities ?? []);
  for (const step of loaded.case.steps) {
    if (!("call" in step) || (step.versions !== undefined && !inRange(version, step.versions))) continue;
    const group = capabilityOf(step.call);
    if (group !== undefined && group !== "") needed.add(group);
  }
  return [...needed].filter((group) => !declared.includes(group)).toSorted();
}
