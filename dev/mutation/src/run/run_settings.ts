import type { Suite } from "../results/file_result.ts";

/** What the command tells the plug-ins in Stryker's processes. */
export interface RunSettings {
  suite: Suite;
  /** The files that are mutated. */
  files: readonly string[];
  /** Where results are kept. */
  repository: string;
  /** The sources as they were before. */
  originals: string;
  /** Where programs of tests write what they reached. */
  coverage: string;
  /** Where a runner keeps how long each test took: another one goes on after a time-out. */
  durations: string;
  /** One mutant of so many is tried. */
  every: number;
  /** Only what an earlier run left, and nobody explained, is tried. */
  left: boolean;
  /** How long tests of one mutant may take, in seconds. */
  seconds: number;
  /** Files or folders of tests, the only ones to try; all that concern the files without any. */
  tests: string[];
}

const VARIABLE = "PERDURA_MUTATION";

/** The environment of a run. */
export function environmentOf(settings: RunSettings): Record<string, string> {
  return { [VARIABLE]: JSON.stringify(settings) };
}

/** In a process of a run. */
export function runSettings(): RunSettings {
  const text = process.env[VARIABLE];
  if (text === undefined) throw new Error(`${VARIABLE} is not set: these plug-ins are for "pnpm mutation"`);
  return JSON.parse(text) as RunSettings;
}
