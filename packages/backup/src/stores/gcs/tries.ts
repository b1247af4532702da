import { setTimeout as pause } from "node:timers/promises";
import type { StoreLimits } from "../object_store.ts";
import { GcsFailure } from "./failures.ts";

/** The first wait between two tries and the longest one, in milliseconds. */
const FIRST_WAIT = 100;
const LONGEST_WAIT = 4000;

/** Does something until it goes well, as often as the limits say; what cannot pass is thrown at once. */
export async function inTries<Result>(
  limits: StoreLimits,
  signal: AbortSignal | undefined,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let tried = 1; ; tried += 1) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof GcsFailure) || !error.passes || tried >= limits.tries) throw error;
      await waitAfter(tried, error, signal);
    }
  }
}

/** Waits longer after each try, and each time a little differently, so that many clients do not come back at once. */
export async function waitAfter(tried: number, failure: GcsFailure, signal: AbortSignal | undefined): Promise<void> {
  const longest = Math.min(FIRST_WAIT * 2 ** (tried - 1), LONGEST_WAIT);
  const wait = Math.max(longest * (0.5 + Math.random() / 2), failure.waitMs ?? 0);
  try {
    await pause(wait, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
