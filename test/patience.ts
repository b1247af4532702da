import { spawnSync } from "node:child_process";

const VARIABLE = "PERDURA_TEST_PATIENCE_MS";

/** A test that works takes less than so many starts of a process, on any machine, also while others use it. */
const STARTS = 20_000;

/**
 * Time limit of a test and of a program that a test starts, in milliseconds. It ends only what would wait forever: a
 * multiple of the time that a process takes to start, measured once in this run, so a slow machine has more.
 */
export const PATIENCE_MS: number = Number(process.env[VARIABLE] ?? Math.round(STARTS * startOfProcessMs()));

/** The time that this number of processes takes to start, one after the other, in milliseconds. */
export const timeOfStarts = (starts: number): number => (PATIENCE_MS / STARTS) * starts;

// Test files and the programs that they start receive the value, and measure nothing.
process.env[VARIABLE] = String(PATIENCE_MS);

/** The median of three. */
function startOfProcessMs(): number {
  const times = Array.from({ length: 3 }, () => {
    const before = performance.now();
    spawnSync(process.execPath, ["--eval", "0"]);
    return performance.now() - before;
  });
  return times.toSorted((left, right) => left - right)[1] as number;
}
