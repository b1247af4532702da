import { setTimeout as pause } from "node:timers/promises";

/** Milliseconds between two checks. */
const BETWEEN = 10;

/**
 * A run of tests measures how long its programs may take at most, see `test/patience.ts`; a single program waits a
 * minute.
 */
const PATIENCE_MS = Number(process.env["PERDURA_TEST_PATIENCE_MS"] ?? 60_000);

/**
 * Waits until a condition holds.
 *
 * @param what Describes the condition in the error.
 * @throws Error if it does not hold after this many seconds.
 */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  seconds: number = PATIENCE_MS / 1000,
): Promise<void> {
  const deadline = performance.now() + seconds * 1000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited ${seconds} s for ${what}: in vain`);
    await pause(BETWEEN);
  }
}
