import { setTimeout } from "node:timers/promises";
import { sleep } from "../runtime/sleep.ts";
import { isBusy, LONGEST_PAUSE_MS } from "./busy.ts";
import type { Database } from "./open_database.ts";
import { monotonicMs } from "../runtime/monotonic.ts";

/** Time after which other writers get their turn, in milliseconds. A step that may take longer begins a turn. */
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

/** Steps between two pauses. */
class Turn {
  readonly #began: number = monotonicMs();
  #before: number = this.#began;

  /** Called after each step; true if another one like it would not end within the turn. */
  isOver(): boolean {
    const now = monotonicMs();
    const tookMs = now - this.#before;
    this.#before = now;
    return now - this.#began + tookMs >= TURN_MS;
  }
}

/** Runs steps; pauses between them often enough that no other writer waits for long. */
export function runWithPauses<Result>(steps: Generator<unknown, Result>, haveOthersWritten: Watch): Result {
  for (let turn = new Turn(); ;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (!turn.isOver()) continue;
    sleep(NOTICE_MS);
    if (haveOthersWritten()) sleep(FURTHER_MS);
    turn = new Turn();
  }
}

/** Works like {@link runWithPauses}; the program continues between the steps. */
export async function runWithPausesAsync<Result>(
  steps: Generator<unknown, Result>,
  haveOthersWritten: Watch,
): Promise<Result> {
  for (let turn = new Turn(); ;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const isOver = turn.isOver();
    await setTimeout(isOver ? NOTICE_MS : 0);
    if (!isOver) continue;
    if (haveOthersWritten()) await setTimeout(FURTHER_MS);
    turn = new Turn();
  }
}
