import { setTimeout as pause } from "node:timers/promises";
import { isCallerError } from "@perdura/internals/errors/caller_errors.js";
import { PerduraError } from "@perdura/internals/errors/errors.js";
import type { StoreLimits } from "../object_store.ts";
import { RemoteFailure } from "./failures.ts";
import { UnreadableUpload } from "./parts.ts";

/** First and maximum pause between two tries, and the maximum that a store may request; in milliseconds. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 4000;
const LONGEST_ASKED_MS = 30_000;

/** A change of the store in progress. */
export interface Change {
  /** True once a request failed that may have been carried out. */
  mayHaveHappened: boolean;
}

/** Settings of one request and its retries. */
export interface Sending {
  /** Absent for requests that change nothing, or nothing visible. */
  change?: Change;
  /** Failures after which the request is sent again; by default those that may pass. */
  retries?: (failure: RemoteFailure) => boolean;
}

/** One try of a request; it ends when the signal is aborted. */
export type Attempt<Result> = (signal: AbortSignal) => Promise<Result>;

/** Sends requests to one store, with a timeout for each try and a limited number of tries. */
export class Requests {
  readonly limits: StoreLimits;
  readonly #failureOf: (error: Error) => RemoteFailure;

  /** @param failureOf Translates errors of the store's client. */
  constructor(limits: StoreLimits, failureOf: (error: Error) => RemoteFailure) {
    this.limits = limits;
    this.#failureOf = failureOf;
  }

  /** The same requests with other limits. */
  limitedTo(limits: Partial<StoreLimits>): Requests {
    return new Requests({ ...this.limits, ...limits }, this.#failureOf);
  }

  /**
   * Sends a request until it succeeds, fails permanently, or has reached the number of tries.
   *
   * @throws RemoteFailure of the last try; errors of perdura and of the caller's code, unchanged; the signal's reason.
   */
  async send<Result>(
    attempt: Attempt<Result>,
    signal: AbortSignal | undefined,
    { change, retries = ({ passes }) => passes }: Sending = {},
  ): Promise<Result> {
    let retriedOnce = false;
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.once(attempt, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof RemoteFailure)) throw error;
        if (change !== undefined && error.mayHaveHappened) change.mayHaveHappened = true;
        error.tries = tries;
        const once: boolean = error.retryOnce && !retriedOnce;
        retriedOnce ||= once;
        if (tries >= this.limits.tries || !(once || retries(error))) throw error;
        await this.pauseAfter(error, tries, signal);
      }
    }
  }

  /**
   * Sends a request once with the timeout of one try, even if the request ignores its signal.
   *
   * @throws As {@link send}.
   */
  async once<Result>(
    attempt: Attempt<Result>,
    signal: AbortSignal | undefined,
    timeoutMs: number = this.limits.timeoutMs,
  ): Promise<Result> {
    signal?.throwIfAborted();
    const enough = new AbortController();
    const slow = new RemoteFailure("slow", `no complete response within ${timeoutMs} ms`);
    const timer = setTimeout(() => enough.abort(slow), timeoutMs);
    const stop = (): void => enough.abort(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    try {
      const ended = new Promise<never>((_, fail) => {
        enough.signal.addEventListener("abort", () => fail(enough.signal.reason as Error), { once: true });
      });
      return await Promise.race([attempt(enough.signal), ended]);
    } catch (error) {
      signal?.throwIfAborted();
      // Clients wrap the reason of a signal in errors of their own.
      throw enough.signal.aborted ? slow : this.#translated(error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }

  /** Doubles the pause after each try, with a random part, so that several processes do not retry at the same time. */
  async pauseAfter({ retryAfterMs = 0 }: RemoteFailure, tries: number, signal: AbortSignal | undefined): Promise<void> {
    const longest = Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
    const wait = Math.max(Math.min(retryAfterMs, LONGEST_ASKED_MS), longest * (0.5 + Math.random() / 2));
    try {
      await pause(wait, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      // Node.js throws its own error, with the reason as its cause.
      signal?.throwIfAborted();
      throw error;
    }
  }

  #translated(error: unknown): unknown {
    const isForeign =
      error instanceof Error &&
      !(error instanceof RemoteFailure || error instanceof UnreadableUpload || error instanceof PerduraError) &&
      !isCallerError(error);
    return isForeign ? this.#failureOf(error) : error;
  }
}
