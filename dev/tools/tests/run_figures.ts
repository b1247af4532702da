import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { SkippedTest } from "./skipped_tests.ts";

/** Written by every run of tests, and read by `npm test`. */
export const FIGURES_FILE: string = fileURLToPath(
  new URL("../../../node_modules/.cache/perdura/tests.json", import.meta.url),
);

/** Figures of one file of tests. */
export interface FileFigures {
  file: string;
  project: string;
  tests: number;
  assertions: number;
  cpu_seconds: number;
  wall_seconds: number;
}

/** Outcome of a run of tests. */
export interface RunFigures {
  passed: number;
  failed: number;
  /** Files and names of failed tests. */
  failed_tests: string[];
  skipped: SkippedTest[];
  /** Sentence about the tests that `pnpm test:changed` did not run. */
  not_run?: string;
  /** CPU seconds by project, `vitest` for the process that runs them, and `servers of the run`. */
  cpu_seconds: Record<string, number>;
  files: FileFigures[];
}

export function writeFigures(figures: RunFigures): void {
  mkdirSync(dirname(FIGURES_FILE), { recursive: true });
  writeFileSync(FIGURES_FILE, `${JSON.stringify(figures, null, 2)}\n`);
}

/** Undefined without an earlier run. */
export function readFigures(): RunFigures | undefined {
  return existsSync(FIGURES_FILE) ? (JSON.parse(readFileSync(FIGURES_FILE, "utf8")) as RunFigures) : undefined;
}
