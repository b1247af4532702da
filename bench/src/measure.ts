/** One side of a comparison: prepares, works once a round, and cleans up. */
export interface Side {
  name: string;
  /** Comes before each round and is not timed. */
  prepare?: () => void;
  /** Does one round and returns how many operations it did; or, where only a part of it counts, how long that took. */
  round: () => number | Timed | Promise<number | Timed>;
  close?: () => void;
  /** What else is to be told once all rounds are done. */
  remarks?: () => string[];
}

/** A round that was timed by itself. */
export interface Timed {
  milliseconds: number;
}

/** What a comparison measured. Times are milliseconds an operation. */
export interface Measurement {
  ours: Spread;
  peer: Spread;
  /** Median of the rounds' ratios: how many times the peer's time ours takes. Below 1 means that we are faster. */
  timeRatio: Spread;
  remarks: string[];
}

/** Median with the middle half of the values. */
export interface Spread {
  median: number;
  low: number;
  high: number;
}

/**
 * Measures two sides in alternation, first one then the other and the other way round in the next round, so that a
 * change of the machine's speed hits both. The first round warms up and does not count.
 */
export async function compare(ours: Side, peer: Side, rounds: number): Promise<Measurement> {
  const times: { ours: number; peer: number }[] = [];
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const first = round % 2 === 0 ? ours : peer;
      const second = first === ours ? peer : ours;
      const taken = new Map([
        [first, await timeOf(first)],
        [second, await timeOf(second)],
      ]);
      if (round > 0) times.push({ ours: taken.get(ours) as number, peer: taken.get(peer) as number });
    }
  } finally {
    ours.close?.();
    peer.close?.();
  }
  return {
    ours: spread(times.map((time) => time.ours)),
    peer: spread(times.map((time) => time.peer)),
    timeRatio: spread(times.map((time) => time.ours / time.peer)),
    remarks: [ours, peer].flatMap((side) => side.remarks?.() ?? []),
  };
}

async function timeOf(side: Side): Promise<number> {
  side.prepare?.();
  const start = performance.now();
  const done = await side.round();
  return typeof done === "number" ? (performance.now() - start) / done : done.milliseconds;
}

function spread(values: number[]): Spread {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (part: number): number => sorted[Math.round(part * (sorted.length - 1))] as number;
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}
