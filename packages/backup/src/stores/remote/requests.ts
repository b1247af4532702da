import { setTimeout as pause } from "node:timers/promises";
import { isOfCaller } from "@perdura/internals/errors/callers_code.js";
import { PerduraError } from "@perdura/internals/errors/errors.js";
import type { StoreLimits } from "../object_store.ts";
import { RemoteFailure } from "./failures.ts";
import { UnreadableUpload } from "./parts.ts";

/** First and longest pause between two tries, and the longest that a store may ask for; in milliseconds. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 4000;
const LONGEST_ASKED_MS = 30_000;

/** A change of the store that is under way. */
export interface Change {
  /** True once a request failed in a way that leaves open whether it was carried out. */
  mayHaveHappened: boolean;
}

/** Settings of one request with its tries. */
export interface Sending {
  /** Absent for requests that change nothing, or nothing that anyone can find. */
  change?: Change;
  /** Failures after which the request is sent again; by default, those that may pass. */
  retries?: (failure: RemoteFailure) => boolean;
}

/** One try of a request; everything that it waits for ends when the signal says so. */
export type Attempt<Result> = (signal: AbortSignal) => Promise<Result>;

/** Sends requests to one store: each try in limited time, as many tries as the limits say. */
export class Requests {
  readonly limits: StoreLimits;
  readonly #failureOf: (error: Error) => RemoteFailure;

  /** @param failureOf Translates what the client of the store throws. */
  constructor(limits: StoreLimits, failureOf: (error: Error) => RemoteFailure) {
    this.limits = limits;
    this.#failureOf = failureOf;
  }

  /** The same requests with other limits. */
  limitedTo(limits: Partial<StoreLimits>): Requests {
    return new Requests({ ...this.limits, ...limits }, this.#failureOf);
  }

  /**
   * Sends a request until it succeeds, fails for good, or was tried as often as the limits say.
   *
   * @throws RemoteFailure of the last try; errors of perdura and of the caller's code as they are; the signal's reason.
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
   * Sends a request once, and waits no longer than one try may take, whether the request heeds its signal or not.
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
    const slow = new RemoteFailure("slow", `no whole answer within ${timeoutMs} ms`);
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

  /** Waits twice as long after each try, and not equally long in all processes, so that they do not return together. */
  async pauseAfter({ retryAfterMs = 0 }: RemoteFailure, tries: number, signal: AbortSignal | undefined): Promise<void> {
    const longest = Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
    const wait = Math.max(Math.min(retryAfterMs, LONGEST_ASKED_MS), longest * (0.5 + Math.random() / 2));
    try {
      await pause(wait, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      // Node.js throws an error of its own, with the reason as its cause.
      signal?.throwIfAborted();
      throw error;
    }
  }

  #translated(error: unknown): unknown {
    const isForeign =
      error instanceof Error &&
      !(error instanceof RemoteFailure || error instanceof UnreadableUpload || error instanceof PerduraError) &&
      !isOfCaller(error);
    return isForeign ? this.#failureOf(error) : error;
  }
}
