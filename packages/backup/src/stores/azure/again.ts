import { setTimeout as pause } from "node:timers/promises";
import type { StoreLimits } from "../object_store.ts";
import { mayHelp, retryAfterOf } from "./failed_tries.ts";
import { TooSlow } from "./own_failures.ts";

/** Milliseconds before the second try; twice as many before each further one. */
const FIRST_WAIT = 100;

const LONGEST_WAIT = 4000;

/** The longest wait that a store may ask for. */
const LONGEST_ASKED_WAIT = 30_000;

/**
 * Sends a request, and sends it again where that may help. What it throws in the end is what the last try threw.
 *
 * @param request Has to end when its signal says so; reads the whole answer.
 */
export async function again<Result>(
  limits: StoreLimits,
  signal: AbortSignal | undefined,
  request: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    signal?.throwIfAborted();
    try {
      return await once(limits.timeoutMs, signal, request);
    } catch (error) {
      signal?.throwIfAborted();
      if (tries >= limits.tries || !(error instanceof Error) || !mayHelp(error)) throw error;
      await waitBefore(tries, error, signal);
    }
  }
}

/** Waits for no longer than the time of one try, whether the request heeds its signal or not. */
async function once<Result>(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  request: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const enough = new AbortController();
  const timer = setTimeout(() => enough.abort(new TooSlow(timeoutMs)), timeoutMs);
  const stop = (): void => enough.abort(signal?.reason);
  signal?.addEventListener("abort", stop);
  try {
    const stopped = new Promise<never>((_, fail) => {
      enough.signal.addEventListener("abort", () => fail(enough.signal.reason as Error));
    });
    return await Promise.race([request(enough.signal), stopped]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/** Each of many clients waits for another time, so that they do not all come back at once. */
async function waitBefore(tries: number, error: unknown, signal: AbortSignal | undefined): Promise<void> {
  const longest = Math.min(FIRST_WAIT * 2 ** (tries - 1), LONGEST_WAIT);
  const asked = Math.min(retryAfterOf(error) ?? 0, LONGEST_ASKED_WAIT);
  try {
    await pause(
      Math.max(asked, longest * (0.5 + Math.random() / 2)),
      undefined,
      signal === undefined ? {} : { signal },
    );
  } catch {
    // Node.js throws an error of its own, whose cause the reason is.
    signal?.throwIfAborted();
  }
}
