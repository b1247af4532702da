import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { RunFigures } from "./run_figures.ts";

const BUDGET_FILE = fileURLToPath(new URL("../../../test/budget.json", import.meta.url));

/** Allowed growth of a project above its committed figure, both in proportion and in seconds of this machine. */
const ALLOWED = 1.1;
const NOISE_SECONDS = 2;

/** CPU seconds by project, on the machine where they were measured. */
export type Budget = Readonly<Record<string, number>>;

/** Change of the CPU time of one project. */
export interface Growth {
  project: string;
  /** The committed figure scaled to this machine, in CPU seconds; undefined for a new project. */
  expected: number | undefined;
  now: number;
  grown: boolean;
}

export function committedBudget(): Budget {
  return JSON.parse(readFileSync(BUDGET_FILE, "utf8")) as Budget;
}

/** Commits the figures of a run. */
export function commitBudget({ cpu_seconds }: Pick<RunFigures, "cpu_seconds">): void {
  const rounded = Object.entries(cpu_seconds).map(([project, seconds]) => [project, Math.round(seconds * 10) / 10]);
  writeFileSync(BUDGET_FILE, `${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`);
}

/**
 * Compares a run with the committed figures. Machines differ in speed, and load changes the speed of one machine: so
 * the median growth of all projects is attributed to the machine, and a project has grown if it exceeds that.
 */
export function growthOf({ cpu_seconds }: Pick<RunFigures, "cpu_seconds">, committed: Budget): Growth[] {
  const ratios = Object.entries(cpu_seconds)
    .filter(([project]) => committed[project] !== undefined)
    .map(([project, now]) => now / (committed[project] as number))
    .toSorted((left, right) => left - right);
  const machine = ratios[Math.floor(ratios.length / 2)] ?? 1;
  return Object.entries(cpu_seconds).map(([project, now]) => {
    const before = committed[project];
    if (before === undefined) return { project, expected: undefined, now, grown: true };
    const expected = before * machine;
    return { project, expected, now, grown: now > expected * ALLOWED && now > expected + NOISE_SECONDS };
  });
}

/** Text for the terminal: the projects that grew, or that none did. */
export function growthText(growths: readonly Growth[]): string {
  const grown = growths.filter((growth) => growth.grown);
  if (grown.length === 0) return "CPU budget: no test project grew by more than 10 %.";
  const rows = grown.map(({ project, expected, now }) =>
    expected === undefined
      ? `   ${project}: ${now.toFixed(1)} s, with no committed figure`
      : `   ${project}: ${now.toFixed(1)} s, expected ${expected.toFixed(1)} s (+${Math.round((now / expected - 1) * 100)} %)`,
  );
  return [
    "CPU budget: these test projects grew by more than 10 % compared with test/budget.json, at the speed of this machine:",
    ...rows,
    "Make them cheaper, or commit the new figures by `pnpm check:budget --update` with the reason.",
  ].join("\n");
}
