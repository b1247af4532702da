/** One side of a comparison: prepares, works once a round, and cleans up. */
export interface Side {
  name: string;
  /** Comes before each round and is not timed. */
  prepare?: () => void | Promise<void>;
  /** Does one round and returns how many operations it did; or, where only a part of it counts, how long one took. */
  round: () => number | Timed | Promise<number | Timed>;
  close?: (() => void) | (() => Promise<void>);
  /** What else is to be told once all rounds are done. */
  remarks?: () => string[];
  /** Peak memory in MB where another process does the work; null where nothing can tell it. */
  memory?: () => number | null;
}

/** A round that was timed by itself. */
export interface Timed {
  milliseconds: number;
}

/** Somebody who does a round when asked and says how many milliseconds an operation took. */
export interface Participant {
  round(): Promise<number>;
}

/** Median with the middle half of the values. */
export interface Spread {
  median: number;
  low: number;
  high: number;
}

/**
 * Measures participants in alternation, in one order and in the next round the other way round, so that a change of the
 * machine's speed hits all. The first round warms up and does not count.
 *
 * @returns For each counted round the time of each participant.
 */
export async function alternate(participants: readonly Participant[], rounds: number): Promise<number[][]> {
  const times: number[][] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const taken = new Map<Participant, number>();
    for (const participant of round % 2 === 0 ? participants : participants.toReversed())
      taken.set(participant, await participant.round());
    if (round > 0) times.push(participants.map((participant) => taken.get(participant) as number));
  }
  return times;
}

/** Milliseconds an operation in one round of a side. */
export async function timeOf(side: Side): Promise<number> {
  await side.prepare?.();
  const start = performance.now();
  const done = await side.round();
  return typeof done === "number" ? (performance.now() - start) / done : done.milliseconds;
}

/** Between two values where no value is in the middle or at a quarter. */
export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (part: number): number => {
    const place = part * (sorted.length - 1);
    const [low, high] = [sorted[Math.floor(place)] as number, sorted[Math.ceil(place)] as number];
    return low + (high - low) * (place % 1);
  };
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}
