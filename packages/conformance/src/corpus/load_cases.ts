import { readdirSync, readFileSync, statSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../package_root.ts";
import { escapeControls } from "../values/escape.ts";
import type { JsonValue } from "../values/json_value.ts";
import { parseJson, readJsonFile } from "../values/parse_json.ts";
import { type Case, forBothLines } from "./case.ts";
import { caseFaults } from "./case_rules.ts";
import type { Level, Requirement } from "./requirements.ts";
import { violations } from "../values/schemas.ts";

/** A case with its requirements and the level that they determine. */
export interface LoadedCase {
  case: Case;
  requirements: Requirement[];
  level: Level;
}

/** Folders of a corpus; the tests of the runner use their own corpus. */
export interface CorpusFolders {
  cases: string;
  data: string;
}

/** The corpus that this package ships. */
export function shippedCorpus(): CorpusFolders {
  return { cases: join(packageRoot(), "cases"), data: join(packageRoot(), "data") };
}

/** Ids of the cases, from file names only: a count for the accounting that is independent of the loader. */
export function walkCaseFiles(folder: string): string[] {
  return idsBelow(folder, "").toSorted();
}

function idsBelow(folder: string, prefix: string): string[] {
  return readdirSync(join(folder, prefix), { withFileTypes: true }).flatMap((entry) => {
    if (isFolder(entry)) return idsBelow(folder, `${prefix}${entry.name}/`);
    return entry.name.endsWith(".json") ? [`${prefix}${entry.name.slice(0, -".json".length)}`] : [];
  });
}

/** True for a folder or a link to one. */
function isFolder(entry: Dirent): boolean {
  const link = entry.isSymbolicLink() ? statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false }) : entry;
  return link?.isDirectory() === true;
}

/**
 * Reads every case, in the order of the ids.
 * @param isChecked true for a corpus that was checked when the package was made.
 * @throws {Error} naming the file when a case breaks its schema, cites an unknown requirement or mixes levels.
 */
export function loadCases(
  folders: CorpusFolders,
  requirements: Map<string, Requirement>,
  isChecked = false,
): LoadedCase[] {
  return walkCaseFiles(folders.cases).map((id) => {
    const written = readJsonFile(join(folders.cases, `${id}.json`), `cases/${id}.json`) as Case;
    const faults = isChecked ? [] : violations("case", written);
    const parsed = faults.length > 0 ? written : { ...written, steps: written.steps.flatMap(forBothLines) };
    if (!isChecked && faults.length === 0) faults.push(...caseFaults(parsed, id, requirements));
    if (faults.length > 0) throw new Error(`cases/${id}.json: ${faults.slice(0, FAULTS).map(short).join("; ")}`);
    const cited = parsed.requirements.map((requirement) => requirements.get(requirement) as Requirement);
    return { case: parsed, requirements: cited, level: (cited[0] as Requirement).level };
  });
}

/** Maximum number of faults that are reported for one case. */
const FAULTS = 10;

function short(fault: string): string {
  return escapeControls(fault.length > 300 ? `${fault.slice(0, 300)}…` : fault);
}

/** The values that every case can name with `$data`, one file each. */
export function loadSharedData(folders: CorpusFolders): Record<string, JsonValue> {
  const names = readdirSync(folders.data).filter((name) => name.endsWith(".json"));
  return Object.fromEntries(
    names.map((name) => [
      name.slice(0, -".json".length),
      parseJson(readFileSync(join(folders.data, name), "utf8")) as JsonValue,
    ]),
  );
}
