/** One side of a comparison: prepares, does `work` once a round, and cleans up. */
export interface Side {
  name: string;
  /** Does one round and returns how many operations it did. */
  round: () => number;
  close?: () => void;
}

/** What a comparison measured. Times are milliseconds an operation. */
export interface Measurement {
  ours: Spread;
  peer: Spread;
  /** Median of the rounds' ratios: how many times the peer's time ours takes. Below 1 means that we are faster. */
  timeRatio: Spread;
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
export function compare(ours: Side, peer: Side, rounds: number): Measurement {
  const times: { ours: number; peer: number }[] = [];
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const first = round % 2 === 0 ? ours : peer;
      const second = first === ours ? peer : ours;
      const taken = new Map([first, second].map((side) => [side, timeOf(side)]));
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
  };
}

function timeOf(side: Side): number {
  const start = performance.now();
  const operations = side.round();
  return (performance.now() - start) / operations;
}

function spread(values: number[]): Spread {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (part: number): number => sorted[Math.round(part * (sorted.length - 1))] as number;
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}
