import { ValidationError } from "../errors/errors.ts";
import { type Durability, SYNCHRONOUS } from "../sqlite/durability.ts";
import { describe } from "../text/describe.ts";
import { assertOptions } from "../text/options.ts";
import { assertClock, type Clock } from "../text/timestamps.ts";

/** Settings of a metrics collector. */
export interface MetricsOptions {
  /**
   * `full` (the default): a recorded row survives a power cut. `normal`: a recorded row survives a crash of the
   * process, but a power cut may lose the newest rows; recording is many times faster.
   */
  durability?: Durability | undefined;
  /**
   * Longest wait for other processes that write, in milliseconds; 30,000 by default. A call that waits longer throws a
   * BusyError.
   */
  busyTimeoutMs?: number | undefined;
  /** Source of `timestamp`; SQLite's `CURRENT_TIMESTAMP` by default. */
  clock?: Clock | undefined;
}

/** The names of {@link MetricsOptions}. */
export const METRICS_OPTIONS = ["durability", "busyTimeoutMs", "clock"] as const;

/** @throws ValidationError that names the option. */
export function assertMetricsOptions(options: MetricsOptions): void {
  assertOptions("options", options, METRICS_OPTIONS);
  const { durability, busyTimeoutMs, clock } = options;
  if (durability !== undefined && !(typeof durability === "string" && Object.hasOwn(SYNCHRONOUS, durability))) {
    throw new ValidationError(`expected "full" or "normal", got ${describe(durability)}.`, { argument: "durability" });
  }
  if (
    busyTimeoutMs !== undefined &&
    !(Number.isInteger(busyTimeoutMs) && busyTimeoutMs >= 0 && busyTimeoutMs <= 0x7fffffff)
  ) {
    throw new ValidationError(`expected a whole number of milliseconds, 0 or more, got ${describe(busyTimeoutMs)}.`, {
      argument: "busyTimeoutMs",
    });
  }
  assertClock(clock);
}
