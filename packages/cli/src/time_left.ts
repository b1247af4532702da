/** How long a step must have been watched before anything is said about its end, in milliseconds. */
const WATCHED = 2_000;
/** How much of it must be done. */
const DONE = 0.03;
/** How far back the present speed is measured, and how often, in milliseconds. */
const RECENT = 10_000;
const INTERVAL = 100;

/** How much was done at a time of a clock that never goes back, in milliseconds. */
interface Seen {
  at: number;
  done: number;
}

/**
 * Estimates how long a step still takes. It says nothing as long as that would be guessing: in the beginning, and where
 * the speed of the last seconds is not that of the whole.
 */
export class TimeLeft {
  readonly #seen: Seen[] = [];

  /** @param now Milliseconds of a clock that never goes back. */
  observe(done: number, now: number): void {
    const last = this.#seen.at(-1);
    // A step of the same name has begun anew.
    if (last !== undefined && done < last.done) this.#seen.length = 0;
    else if (last !== undefined && now - last.at < INTERVAL) return;
    this.#seen.push({ at: now, done });
    // The first one stays: the speed of the whole is measured from it.
    while (now - (this.#seen[2]?.at ?? now) > RECENT) this.#seen.splice(1, 1);
  }

  /** Amount per second over the last seconds, or null where too little was seen. */
  rate(): number | null {
    const [first, recent] = this.#seen;
    const last = this.#seen.at(-1);
    if (first === undefined || recent === undefined || last === undefined || this.#seen.length < 3) return null;
    return last.at - first.at < WATCHED ? null : speedBetween(recent, last) * 1000;
  }

  /** Seconds, or null where they cannot be told honestly. */
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

/** `about 25 s`, `about 4 min`, `about 1 h 20 min`: no finer than it can be known. */
export function durationText(seconds: number): string {
  if (seconds < 60) return `about ${Math.max(5, Math.ceil(seconds / 5) * 5)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `about ${minutes} min`;
  const tens = Math.round(minutes / 10) * 10;
  return `about ${Math.floor(tens / 60)} h${tens % 60 === 0 ? "" : ` ${tens % 60} min`}`;
}
