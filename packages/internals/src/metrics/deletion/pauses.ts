import { setTimeout } from "node:timers/promises";
import { sleep } from "../../runtime/sleep.ts";

/**
 * Time after which other writers get their turn, and the time that they get, in milliseconds. A waiting writer looks at
 * least every 33 ms whether the database is free: see `busy.ts`.
 */
const [TURN_MS, PAUSE_MS] = [30, 35];

/** Runs steps; pauses between them often enough that no other writer waits for long. */
export function runWithPauses<Result>(steps: Generator<void, Result>): Result {
  for (let began = performance.now(); ;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - began < TURN_MS) continue;
    sleep(PAUSE_MS);
    began = performance.now();
  }
}

/** Works like {@link runWithPauses}; the program continues between the steps. */
export async function runWithPausesAsync<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (let began = performance.now(); ;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const isOver = performance.now() - began >= TURN_MS;
    await setTimeout(isOver ? PAUSE_MS : 0);
    if (isOver) began = performance.now();
  }
}
