import { areaOf, type Case, type Step } from "../corpus/case.ts";
import { suggestion } from "@perdura/cli/suggestion.js";
import type { LoadedCase } from "../corpus/load_cases.ts";
import type { Requirement } from "../corpus/requirements.ts";
import { capabilityOf, OPERATIONS } from "../protocol/operations.ts";
import { isObject, type JsonValue } from "../values/json_value.ts";
import { inRange } from "../corpus/version_range.ts";

/** The cases to run; all if it is empty. */
export interface Selection {
  /** Case ids; `*` stands for any characters: `state/*-ids`. */
  cases?: readonly string[];
  /** Areas: the part of an id before the slash. */
  areas?: readonly string[];
  /** Requirement ids, or sections of the specification such as `2.4` or `R-2.4`. */
  requirements?: readonly string[];
  /** Case ids, with `*` for any characters, that are left out of the others. */
  skip?: readonly string[];
}

/** True if the selection includes the case. */
export function isSelected(loaded: LoadedCase, selection: Selection): boolean {
  const { cases = [], areas = [], requirements = [], skip = [] } = selection;
  const { id } = loaded.case;
  if (skip.some((pattern) => fits(id, pattern))) return false;
  if (cases.length + areas.length + requirements.length === 0) return true;
  return (
    cases.some((pattern) => fits(id, pattern)) ||
    areas.includes(areaOf(id)) ||
    loaded.requirements.some((row) => namesOf(row).some((name) => requirements.includes(name)))
  );
}

/** True if an id is the given one, or fits a pattern with `*`. */
function fits(id: string, pattern: string): boolean {
  if (!pattern.includes("*")) return id === pattern;
  const parts = pattern.split("*").map((part) => part.replaceAll(/[^\w]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(id);
}

/** Names under which a requirement is selected: its id, its section, and both together. */
export function namesOf({ id, section }: Requirement): string[] {
  return [id, section, `R-${section}`];
}

/** True if the case and all its requirements apply to the version. */
export function applies(loaded: LoadedCase, version: string): boolean {
  const ranges = [loaded.case.versions ?? "*", ...loaded.requirements.map((requirement) => requirement.versions)];
  return ranges.every((range) => inRange(version, range));
}

/** Capability groups that the case needs for this version. */
export function neededCapabilities(loaded: LoadedCase, version: string): string[] {
  const groups = operationsOf(loaded, version).map(([group]) => group);
  return [...new Set([...(loaded.case.capabilities ?? []), ...groups])].toSorted();
}

/**
 * Undeclared parts that the case needs: groups, or operations of groups of which it declared some. A group
 * that a case needs beyond its operations is needed completely.
 */
export function missingCapabilities(loaded: LoadedCase, version: string, declared: readonly string[]): string[] {
  const missing = new Set((loaded.case.capabilities ?? []).filter((group) => !declared.includes(group)));
  for (const [group, operation] of operationsOf(loaded, version)) {
    if (declared.includes(group) || declared.includes(operation)) continue;
    missing.add(OPERATIONS[group]?.some((other) => declared.includes(other)) === true ? operation : group);
  }
  return [...missing].toSorted();
}

/** The operations that a case calls for this version, each with its group. */
function operationsOf(loaded: LoadedCase, version: string): [group: string, operation: string][] {
  return loaded.case.steps.flatMap((step) => {
    if (!("call" in step) || (step.versions !== undefined && !inRange(version, step.versions))) return [];
    const group = capabilityOf(step.call);
    return group === undefined || group === "" ? [] : [[group, step.call]];
  });
}

/** Names of a selection that this suite does not have, each in words, with similar names. */
export function unknownNames(
  selection: Selection,
  cases: readonly LoadedCase[],
  requirements: ReadonlyMap<string, Requirement>,
): string[] {
  const ids = cases.map((loaded) => loaded.case.id);
  const areas = [...new Set(ids.map(areaOf))];
  const rows = [...requirements.values()].flatMap(namesOf);
  const missing = (kind: string, wanted: readonly string[] = [], known: readonly string[], list = ""): string[] =>
    wanted
      .filter((name) => !known.some((candidate) => fits(candidate, name)))
      .map((name) => `There is no ${kind} "${name}".${suggestion(name, known) || nearest(name, known)}${list}`);
  return [
    ...missing("case", selection.cases, ids),
    ...missing("case", selection.skip, ids),
    ...missing("area", selection.areas, areas, ` The areas are ${areas.join(", ")}.`),
    ...missing("requirement", selection.requirements, rows),
  ];
}

/** Names that share a part with the given one. */
function nearest(name: string, known: readonly string[]): string {
  const parts = name
    .toLowerCase()
    .split(/[^a-z0-9.]+/)
    .filter((part) => part.length > 1);
  const scored = known
    .map((candidate) => ({ candidate, hits: parts.filter((part) => candidate.toLowerCase().includes(part)).length }))
    .filter(({ hits }) => hits > 0)
    .toSorted((a, b) => b.hits - a.hits)
    .slice(0, 3);
  return scored.length === 0 ? "" : ` Did you mean ${scored.map(({ candidate }) => candidate).join(" or ")}?`;
}

/**
 * Reason that a case cannot be judged by dumps of tables, for an implementation that keeps its databases in a server;
 * undefined if it can.
 * @param version the judged version: steps for other versions do not count.
 */
export function needsFiles(tested: Case, version: string): string | undefined {
  const steps = tested.steps.filter(({ versions }) => versions === undefined || inRange(version, versions));
  const databases = new Set(steps.flatMap((step) => ("call" in step ? databasesIn(step.args ?? {}) : [])));
  const why = tested.database_files ? "it checks how SQLite stores values" : firstReason(steps, databases);
  return why === undefined
    ? undefined
    : `needs database files: ${why}; the implementation stores its tables in a server`;
}

/** Reason that a case cannot run on this machine; undefined if it can. */
export function needsPosix({ steps }: Case, platform: NodeJS.Platform = process.platform): string | undefined {
  const isNeeded = steps.some((step) => "put" in step && (step.mode !== undefined || step.symlink !== undefined));
  return isNeeded && platform === "win32" ? "needs permissions and symbolic links as in POSIX" : undefined;
}

function firstReason(steps: readonly Step[], databases: ReadonlySet<string>): string | undefined {
  for (const step of steps) {
    if ("write" in step) return "another program writes to one";
    if ("remove" in step) return "the suite removes one";
    if ("kill" in step) return "the suite ends the adapter and looks at one";
    if ("put" in step && (step.sqlite !== undefined || databases.has(step.put))) return "the suite provides one";
    if (!("inspect" in step)) continue;
    if (step.inspect === "files" && [...databases].some((path) => liesUnder(path, step.under)))
      return "it checks their names";
    if (step.inspect === "text" && databases.has(step.file)) return "it checks their bytes";
  }
  return undefined;
}

/** Paths of databases in arguments. */
function databasesIn(value: JsonValue, key = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => databasesIn(item, key));
  if (!isObject(value)) return [];
  if (typeof value.$path === "string") return ["filepath", "state_dir"].includes(key) ? [] : [value.$path];
  return Object.entries(value).flatMap(([name, member]) => databasesIn(member, name));
}

function liesUnder(path: string, folder: string | undefined): boolean {
  return folder === undefined || path.startsWith(`${folder}/`);
}
