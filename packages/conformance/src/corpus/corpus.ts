import type { JsonValue } from "../values/json_value.ts";
import { loadCases, loadSharedData, shippedCorpus, type CorpusFolders, type LoadedCase } from "./load_cases.ts";
import { loadRequirements, type Requirement } from "./requirements.ts";

/** Input of a run. */
interface Corpus {
  folders: CorpusFolders;
  requirements: ReadonlyMap<string, Requirement>;
  cases: readonly LoadedCase[];
  /** Values that every case can name. */
  shared: Record<string, JsonValue>;
}

let shipped: Corpus | undefined;

/** True in the built package, whose corpus the tests have checked. The source tree may have an unfinished case. */
const IS_PACKAGED = !import.meta.url.endsWith(".ts");

/**
 * Reads a corpus and checks it. That of this package is read once per process.
 * @param folders folders of another corpus; by default that of this package.
 * @throws {Error} naming the file that is invalid.
 */
export function readCorpus(folders?: CorpusFolders & { requirements?: string }): Corpus {
  if (folders) return read(folders, folders.requirements);
  shipped ??= read(shippedCorpus(), undefined, IS_PACKAGED);
  return shipped;
}

function read(folders: CorpusFolders, requirementsFolder: string | undefined, isChecked = false): Corpus {
  const requirements = loadRequirements(requirementsFolder, isChecked);
  const cases = loadCases(folders, requirements, isChecked);
  return { folders, requirements, cases, shared: loadSharedData(folders) };
}
