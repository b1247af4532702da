import { ValidationError } from "../errors/errors.ts";
import { type Durability, SYNCHRONOUS } from "../sqlite/durability.ts";
import { assertIdentifier } from "../text/identifiers.ts";
import { type DeclaredKeys, NO_KEYS } from "./keys/declared_keys.ts";
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
  /**
   * Declares keys of metadata for `getBreakdown`. The database remembers them, and keeps sums by their values, so that a
   * breakdown takes milliseconds however many interactions there are. All programs that use the database share them.
   */
  breakdown?: BreakdownKeys | undefined;
}

/** Keys of metadata that are declared; see {@link MetricsOptions}. */
export interface BreakdownKeys {
  /** Keys with a limited number of values, such as the name of a tool; at most 20 in a database. */
  keys?: readonly string[] | undefined;
  /** Keys of numbers, such as tokens or costs, that are summed for each value; at most 20 in a database. */
  numbers?: readonly string[] | undefined;
}

/** The names of {@link MetricsOptions}. */
export const METRICS_OPTIONS = ["durability", "busyTimeoutMs", "clock", "breakdown"] as const;

/** @throws ValidationError that names the option. */
export function assertMetricsOptions(options: MetricsOptions): void {
  assertOptions("options", options, METRICS_OPTIONS);
  const { durability, busyTimeoutMs, clock, breakdown } = options;
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
  checkedKeys(breakdown);
}

/** @throws ValidationError that names the option. */
export function checkedKeys(given: BreakdownKeys | undefined): DeclaredKeys {
  if (given === undefined) return NO_KEYS;
  assertOptions("breakdown", given, ["keys", "numbers"]);
  return { keys: keyList("breakdown.keys", given.keys), numbers: keyList("breakdown.numbers", given.numbers) };
}

function keyList(argument: string, given: unknown = []): readonly string[] {
  if (!Array.isArray(given)) {
    throw new ValidationError(`expected an array of keys, got ${describe(given)}.`, { argument });
  }
  for (const key of given) assertIdentifier(argument, key);
  return [...new Set(given as string[])];
}
