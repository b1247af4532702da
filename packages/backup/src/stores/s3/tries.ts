import { setTimeout as pause } from "node:timers/promises";
import type { StoreLimits } from "../object_store.ts";
import { isClockCorrected, mayHaveBeenDone, mayPass, retryAfterOf } from "./passing.ts";
import { TooSlow, Tried } from "./thrown.ts";

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 4000;
/** A store that asks for more is asked again too early. */
const LONGEST_ASKED_PAUSE_MS = 20_000;

/** One try of a request; whatever it waits for ends when the signal says so. */
export type Try<Result> = (abortSignal: AbortSignal) => Promise<Result>;

/**
 * Tries a request until it succeeds, fails for good, or has been tried often enough.
 *
 * @param again Which failures may pass.
 * @throws What the last try threw, in a {@link Tried} where there were several; or the reason of the caller's signal.
 */
export async function tried<Result>(
  task: Try<Result>,
  limits: StoreLimits,
  signal: AbortSignal | undefined,
  again: (error: unknown) => boolean = mayPass,
): Promise<Result> {
  let unknown = false;
  let corrected = false;
  for (let tries = 1; ; tries += 1) {
    try {
      return await once(task, limits.timeoutMs, signal);
    } catch (error) {
      signal?.throwIfAborted();
      unknown ||= mayHaveBeenDone(error);
      // Where another time does not help, a third one will not.
      const inTime: boolean = isClockCorrected(error) && !corrected;
      corrected ||= inTime;
      if (tries >= limits.tries || !(inTime || again(error)))
        throw tries === 1 && !unknown ? error : new Tried(error, tries, unknown);
      await pause(pauseAfter(error, tries), undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
    }
  }
}

async function once<Result>(task: Try<Result>, timeoutMs: number, signal: AbortSignal | undefined): Promise<Result> {
  signal?.throwIfAborted();
  const own = new AbortController();
  const slow = new TooSlow(timeoutMs);
  const timer = setTimeout(() => own.abort(slow), timeoutMs);
  const stop = (): void => own.abort(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([task(own.signal), rejected(own.signal)]);
  } catch (error) {
    throw own.signal.reason === slow ? slow : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/** Not everything that is waited for heeds a signal. */
function rejected(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}

/** Twice as long each time, and not the same for all who wait. */
function pauseAfter(error: unknown, tries: number): number {
  const asked = retryAfterOf(error);
  if (asked !== undefined) return Math.min(asked, LONGEST_ASKED_PAUSE_MS);
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS);
  return longest / 2 + (Math.random() * longest) / 2;
}
