/**
 * Replaces this process's clock: `Date` returns the time that {@link passSeconds} has advanced. Import it first.
 * `performance.now()` and timers stay real: they measure the duration of calls.
 */
const RealDate = globalThis.Date;

/**
 * Length of a life; the clock starts this much in the past, so that it ends at about the time of the files on the disk.
 */
const DAY_MS = 24 * 60 * 60 * 1000;
let now = RealDate.now() - DAY_MS;

globalThis.Date = class extends RealDate {
  constructor(...values: unknown[]) {
    super(...((values.length === 0 ? [now] : values) as [number]));
  }

  static override now(): number {
    return now;
  }
} as DateConstructor;

/** Advances the clock. */
export function passSeconds(seconds: number): void {
  now += seconds * 1000;
}

/** Clock for collectors, whose rows would otherwise get the time of SQLite's own clock. */
export const acceleratedClock = (): Date => new Date();
