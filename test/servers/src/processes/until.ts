import { setTimeout as pause } from "node:timers/promises";

/** How long to wait between two looks, in milliseconds. */
const BETWEEN = 10;

/**
 * Waits until a condition holds.
 *
 * @param what Names what is waited for in the error.
 * @throws Error when it does not hold after so many seconds.
 */
export async function until(what: string, holds: () => boolean | Promise<boolean>, seconds = 60): Promise<void> {
  const deadline = performance.now() + seconds * 1000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited ${seconds} s for ${what}: in vain`);
    await pause(BETWEEN);
  }
}
