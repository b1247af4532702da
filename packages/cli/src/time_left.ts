/** Minimum time for which a step is observed before its end is estimated, in milliseconds. */
const WATCHED = 2_000;
/** Minimum share that must be done before the end is estimated. */
const DONE = 0.03;
/** Period over which the current speed is measured, and interval of the measurements, in milliseconds. */
const RECENT = 10_000;
const INTERVAL = 100;

/** An amount that was done, and the time of a monotonic clock in milliseconds. */
interface Seen {
  at: number;
  done: number;
}

/**
 * Estimates the remaining time of a step. Gives no estimate while it would be a guess: at the beginning, and while the
 * speed of the last seconds differs from that of the whole.
 */
export class TimeLeft {
  readonly #seen: Seen[] = [];

  /** @param now Milliseconds of a monotonic clock. */
  observe(done: number, now: number): void {
    const last = this.#seen.at(-1);
    // A step of the same name has started again.
    if (last !== undefined && done < last.done) this.#seen.length = 0;
    else if (last !== undefined && now - last.at < INTERVAL) return;
    this.#seen.push({ at: now, done });
    // The first observation is kept, because the average speed is measured from it.
    while (now - (this.#seen[2]?.at ?? now) > RECENT) this.#seen.splice(1, 1);
  }

  /** Amount per second over the last seconds, or null with too few observations. */
  rate(): number | null {
    const [first, recent] = this.#seen;
    const last = this.#seen.at(-1);
    if (first === undefined || recent === undefined || last === undefined || this.#seen.length < 3) return null;
    return last.at - first.at < WATCHED ? null : speedBetween(recent, last) * 1000;
  }

  /** Seconds, or null if an estimate would be a guess. */
  seconds(total: number): number | null {
    const perSecond = this.rate();
    const [first] = this.#seen;
    const last = this.#seen.at(-1);
    if (perSecond === null || first === undefined || last === undefined) return null;
    if (last.done < total * DONE || last.done >= total) return null;
    const speed = perSecond / 1000;
    const mean = speedBetween(first, last);
    if (speed <= 0 || speed > mean * 2 || speed < mean / 2) return null;
    return (total - last.done) / speed / 1000;
  }
}

function speedBetween(from: Seen, to: Seen): number {
  return (to.done - from.done) / Math.max(to.at - from.at, 1);
}

/** Text such as `about 25 s`, `about 4 min`, `about 1 h 20 min`, which is only as precise as the estimate. */
export function durationText(seconds: number): string {
  if (seconds < 60) return `about ${Math.max(5, Math.ceil(seconds / 5) * 5)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `about ${minutes} min`;
  const tens = Math.round(minutes / 10) * 10;
  return `about ${Math.floor(tens / 60)} h${tens % 60 === 0 ? "" : ` ${tens % 60} min`}`;
}
