import type { Case, Step } from "../corpus/case.ts";
import { inRange } from "../runner/version_range.ts";
import { isObject } from "../values/json_value.ts";
import type { JsonValue } from "../values/json_value.ts";

/**
 * Why a case says nothing about an implementation that keeps its databases in a server; undefined when it can be judged by
 * dumps of the tables.
 * @param version the judged one: steps for others do not count.
 */
export function needsFiles(tested: Case, version: string): string | undefined {
  const steps = tested.steps.filter(({ versions }) => versions === undefined || inRange(version, versions));
  const databases = new Set(steps.flatMap((step) => ("call" in step ? databasesIn(step.args ?? {}) : [])));
  const why = tested.database_files ? "it is about how SQLite stores values" : firstReason(steps, databases);
  return why === undefined ? undefined : `needs database files: ${why}; the implementation has tables in a server`;
}

function firstReason(steps: readonly Step[], databases: ReadonlySet<string>): string | undefined {
  for (const step of steps) {
    if ("write" in step) return "another program writes to one";
    if ("put" in step && (step.sqlite !== undefined || databases.has(step.put))) return "the suite hands one over";
    if (!("inspect" in step)) continue;
    if (step.inspect === "files" && [...databases].some((path) => liesUnder(path, step.under)))
      return "it looks at their names";
    if (step.inspect === "text" && databases.has(step.file)) return "it looks at their bytes";
  }
  return undefined;
}

/** Paths in arguments that are those of databases. */
function databasesIn(value: JsonValue, key = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => databasesIn(item, key));
  if (!isObject(value)) return [];
  if (typeof value.$path === "string") return ["filepath", "state_dir"].includes(key) ? [] : [value.$path];
  return Object.entries(value).flatMap(([name, member]) => databasesIn(member, name));
}

function liesUnder(path: string, folder: string | undefined): boolean {
  return folder === undefined || path.startsWith(`${folder}/`);
}
