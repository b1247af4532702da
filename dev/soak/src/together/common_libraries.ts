import { PatternLibrary, PatternPersistence } from "@perdura/v16";

/** Format of a library: one file that each save replaces, or a database into which each save merges. */
export type Format = "json" | "replace" | "merge";
export const FORMATS: readonly Format[] = ["json", "replace", "merge"];

/** A version that an agent saved. */
export interface Saved {
  agent: string;
  version: number;
}

/** Number of patterns per agent if all agents share one database. */
const PATTERNS = 10;

/** Number of patterns of a version; it varies, so that a mixture of two versions shows. */
function sizeOf(format: Format, version: number): number {
  return format === "merge" ? PATTERNS : 5 + (version % 50);
}

/** The library that an agent saves as its version. */
export function libraryOf(format: Format, { agent, version }: Saved): PatternLibrary {
  const library = new PatternLibrary();
  for (let index = 0; index < sizeOf(format, version); index += 1) {
    library.contribute(agent, {
      id: `${agent}-${index}`,
      pattern_type: "sequential",
      name: `${agent} ${version}`,
      context: { version, text: "x".repeat(200) },
      usage_count: index === 0 ? version - 1 : 0,
      success_count: index === 0 ? version - 1 : 0,
    });
  }
  library.recordUsage(`${agent}-0`, agent, true);
  return library;
}

/** Saves like a program; returns when the data is durable. */
export function save(
  format: Format,
  path: string,
  saved: Saved,
  library: PatternLibrary = libraryOf(format, saved),
): void {
  if (format === "json") PatternPersistence.saveToJson(library, path);
  else PatternPersistence.saveToSqlite(library, path, { mode: format });
}

/** Versions in a file, one for each agent, with the faults found. */
export function versionsIn(format: Format, path: string): { versions: Saved[]; wrong: string[] } {
  const library = format === "json" ? PatternPersistence.loadFromJson(path) : PatternPersistence.loadFromSqlite(path);
  const wrong: string[] = [];
  const agents = new Set([...library.patterns.values()].map((pattern) => pattern.agent_id));
  const versions = [...agents].map((agent) => {
    const patterns = library.byAgent(agent);
    const names = new Set(patterns.map(({ name }) => name));
    const version = Number(patterns[0]?.context?.["version"]);
    if (names.size !== 1 || patterns.length !== sizeOf(format, version))
      wrong.push(`${agent} has ${patterns.length} patterns called ${[...names].join()} in one library`);
    const uses = library.get(`${agent}-0`)?.usage_count;
    if (uses !== version) wrong.push(`version ${version} of ${agent} was used ${uses} times`);
    return { agent, version };
  });
  if (format !== "merge" && versions.length !== 1)
    wrong.push(`${versions.length} agents saved one file that each replaces`);
  return { versions, wrong };
}
