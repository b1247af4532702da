/** One side of a comparison: prepares, works once a round, and cleans up. */
export interface Side {
  name: string;
  /** Called before each round, and not timed. */
  prepare?: () => void | Promise<void>;
  /**
   * Runs one round and returns the number of operations; or the time of one operation, if only a part of the round
   * counts.
   */
  round: () => number | Timed | Promise<number | Timed>;
  close?: (() => void) | (() => Promise<void>);
  /** Additional remarks after all rounds. */
  remarks?: () => string[];
  /** Peak memory in MB if another process does the work; null if it cannot be measured. */
  memory?: () => number | null;
}

/** A round that measured its own time. */
export interface Timed {
  milliseconds: number;
}

/** Runs a round on request and returns the milliseconds per operation. */
export interface Participant {
  round(): Promise<number>;
}

/** Median and quartiles of the values. */
export interface Spread {
  median: number;
  low: number;
  high: number;
}

/**
 * Measures participants in alternation, in reverse order every other round, so that a change of the machine's speed
 * affects all. The first round is a warm-up and does not count.
 *
 * @returns The time of each participant, for each counted round.
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

/** Milliseconds per operation in one round of a side. */
export async function timeOf(side: Side): Promise<number> {
  await side.prepare?.();
  const start = performance.now();
  const done = await side.round();
  return typeof done === "number" ? (performance.now() - start) / done : done.milliseconds;
}

/** Interpolates if no value is in the middle or at a quarter. */
export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (part: number): number => {
    const place = part * (sorted.length - 1);
    const [low, high] = [sorted[Math.floor(place)] as number, sorted[Math.ceil(place)] as number];
    return low + (high - low) * (place % 1);
  };
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}
