import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../../../packages/conformance/src/package_root.ts";
import type { JsonObject } from "../../../../packages/conformance/src/values/json_value.ts";
import { completeLibrary, LIBRARIES, STATES } from "./content.ts";
import { HAND_LIBRARIES } from "./hand_databases.ts";
import { HAND_METRICS } from "./hand_metrics.ts";
import { expectedStatistics } from "./interactions.ts";
import { makeDatabase } from "./make_database.ts";
import { writeThroughAdapter } from "./written_by_adapter.ts";
import { write15, write16 } from "./written_by_lines.ts";

/** A folder of gold files and its producer. */
export interface Producer {
  folder: string;
  /** Description of the producer, for the manifest. */
  words: string;
  /** False if the times in the files are those of the writing. */
  clock: boolean;
  /** Writes the files into an empty folder; for handmade files, only the databases. */
  write: (folder: string) => void | Promise<void>;
  /** Content that a reader must get, by file; absent if a person wrote it down. */
  expected?: JsonObject;
  /** True if the producer can run on this machine; its files exist in any case. */
  available: () => boolean;
}

const always = (): boolean => true;
const byHand = (folder: string): void => {
  for (const [name, recipe] of Object.entries({ ...HAND_LIBRARIES, ...HAND_METRICS }))
    makeDatabase(join(folder, name), recipe);
};
const pythonAdapter = join(packageRoot(), "python", "adapter.py");
const line15: Producer = {
  folder: "perdura-15",
  words: "perdura, line 15",
  clock: true,
  write: write15,
  expected: expectedOf("15", true),
  available: always,
};
const line16: Producer = {
  folder: "perdura-16",
  words: "perdura, line 16",
  clock: true,
  write: write16,
  expected: expectedOf("16", true),
  available: always,
};
const hand: Producer = {
  folder: "hand",
  words: "made by hand; databases by SQL",
  clock: true,
  write: byHand,
  available: always,
};
const python = (line: "15" | "16"): Producer => ({
  folder: `python-${line}`,
  words: `the Python implementation in python/, line ${line}`,
  clock: false,
  write: (folder) => writeThroughAdapter(`python3 "${pythonAdapter}" ${line}`, line, folder),
  expected: expectedOf(line, false),
  available: hasPython,
});

/** All producers of gold files. */
export const PRODUCERS: readonly Producer[] = [hand, line15, line16, python("15"), python("16")];

/** Creates the folders of a producer below `root` and writes its files. */
export async function produce(producer: Producer, root: string): Promise<void> {
  const folder = join(root, producer.folder);
  mkdirSync(folder, { recursive: true });
  await producer.write(folder);
}

function expectedOf(line: "15" | "16", clock: boolean): JsonObject {
  const libraries = Object.entries(LIBRARIES).flatMap(([name, patterns]) =>
    ["json", "db"].map((kind) => [`${name}.${kind}`, { library: completeLibrary(patterns) }]),
  );
  const versions = line === "15" ? "<16.0.0-0" : ">=16.0.0-0";
  const states = line === "15" ? Object.entries(STATES) : [];
  return Object.fromEntries([
    ...libraries,
    ["metrics.db", { versions, statistics: expectedStatistics(clock) }],
    ...states.map(([name, state]) => [`states/${name}`, { versions, state }]),
  ]) as JsonObject;
}

function hasPython(): boolean {
  try {
    execFileSync("python3", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
