import { setTimeout } from "node:timers/promises";
import { sleep } from "../runtime/sleep.ts";
import { isBusy, LONGEST_PAUSE_MS } from "./busy.ts";
import type { Database } from "./open_database.ts";

/** Time after which other writers get their turn, in milliseconds. */
const TURN_MS = 30;

/**
 * Time in which a writer that waits finds the database free, and the further time that writers get if one of them wrote,
 * in milliseconds. SQLite does not show who waits; a waiting writer of perdura looks this often.
 */
const [NOTICE_MS, FURTHER_MS] = [LONGEST_PAUSE_MS + 3, 35 - LONGEST_PAUSE_MS - 3];

/** Returns true if another connection has written since the last call. */
export type Watch = () => boolean;

export function watchWriters(database: Database): Watch {
  // Each commit of another connection changes it.
  const version = database.prepare("PRAGMA data_version").pluck();
  let known = version.get();
  return () => {
    try {
      const now = version.get();
      const hasChanged = now !== known;
      known = now;
      return hasChanged;
    } catch (error) {
      if (isBusy(error)) return true;
      throw error;
    }
  };
}

/** Runs steps; pauses between them often enough that no other writer waits for long. */
export function runWithPauses<Result>(steps: Generator<unknown, Result>, haveOthersWritten: Watch): Result {
  for (let began = performance.now(); ;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - began < TURN_MS) continue;
    sleep(NOTICE_MS);
    if (haveOthersWritten()) sleep(FURTHER_MS);
    began = performance.now();
  }
}

/** Works like {@link runWithPauses}; the program continues between the steps. */
export async function runWithPausesAsync<Result>(
  steps: Generator<unknown, Result>,
  haveOthersWritten: Watch,
): Promise<Result> {
  for (let began = performance.now(); ;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const isOver = performance.now() - began >= TURN_MS;
    await setTimeout(isOver ? NOTICE_MS : 0);
    if (!isOver) continue;
    if (haveOthersWritten()) await setTimeout(FURTHER_MS);
    began = performance.now();
  }
}
