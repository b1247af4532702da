/**
 * Puts a clock of our own in the place of this process's: `Date` tells the time that {@link passSeconds} brought about.
 * Import it first. `performance.now()` and timers stay as they are: they measure how long calls really take.
 */
const RealDate = globalThis.Date;

/** How long a life is, so that it ends at about the time of the files on the disk. */
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

/** Lets time pass. */
export function passSeconds(seconds: number): void {
  now += seconds * 1000;
}

/** For collectors, whose rows would otherwise get the time of SQLite's own clock. */
export const acceleratedClock = (): Date => new Date();
