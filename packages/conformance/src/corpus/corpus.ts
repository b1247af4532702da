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

/**
 * Reads a corpus. The corpus of this package is read and checked once per process.
 * @param folders folders of another corpus; by default that of this package.
 * @throws {Error} naming the file that is invalid.
 */
export function readCorpus(folders?: CorpusFolders & { requirements?: string }): Corpus {
  if (folders) return read(folders, folders.requirements);
  shipped ??= read(shippedCorpus());
  return shipped;
}

function read(folders: CorpusFolders, requirementsFolder?: string): Corpus {
  const requirements = loadRequirements(requirementsFolder);
  return { folders, requirements, cases: loadCases(folders, requirements), shared: loadSharedData(folders) };
}
