import type { Unit } from "./units.ts";

/** What is asked to notice a mutant. */
export interface Suite {
  name: "whole" | "conformance";
  /** The tests. */
  configFile: string;
  /** Units that it says nothing about. */
  leavesOut: (unit: string) => boolean;
  /** The share of mutants that it must notice. */
  goal: number;
}

/** The two figures. */
export const SUITES: readonly Suite[] = [
  {
    name: "whole",
    configFile: "mutation/vitest.whole.config.ts",
    leavesOut: () => false,
    goal: 0.9,
  },
  {
    name: "conformance",
    configFile: "mutation/vitest.conformance.config.ts",
    // The suite judges a line. Programs and the migrator are none, and what only they use is not either.
    leavesOut: (unit) => unit.startsWith("migrator") || unit === "internals/terminal",
    goal: 0.8,
  },
];

/** The units that a suite is asked about. */
export function unitsOf({ leavesOut }: Suite, all: readonly Unit[]): Unit[] {
  return all.filter(({ name }) => !leavesOut(name));
}
