/**
 * Figures of the trust trajectory (ruling U-trends). Trust starts at `initial`; each success adds `gain`, each failure
 * subtracts `loss`, and after each interaction trust is limited to the range 0 to 1. All figures are from 0 to 1, and
 * are rounded to nine decimals.
 */
export interface TrustFigures {
  /** Trust of a user before the first interaction; 0.5 by default. */
  initial: number;
  /** Change after a success; 0.05 by default. */
  gain: number;
  /** Change after a failure, as a positive number; 0.1 by default. */
  loss: number;
}

export const DEFAULT_FIGURES: TrustFigures = { initial: 0.5, gain: 0.05, loss: 0.1 };

/**
 * Effect of a sequence of interactions on trust: x becomes min(high, max(low, x + add)). The effect of two sequences
 * one after the other has the same form, so that three numbers describe any number of interactions.
 *
 * All numbers are integers in units of `1 / TRUST_UNITS`: sums of decimal fractions as floating-point numbers would
 * depend on the order of addition.
 */
export interface TrustChange {
  readonly add: number;
  readonly low: number;
  readonly high: number;
}

/** Number of units in a trust of 1. */
export const TRUST_UNITS = 1_000_000_000;

export const NO_CHANGE: TrustChange = { add: 0, low: 0, high: TRUST_UNITS };

/** Effect of one interaction. */
export function stepOf(success: boolean, { gain, loss }: TrustFigures): TrustChange {
  const add = success ? Math.round(gain * TRUST_UNITS) : -Math.round(loss * TRUST_UNITS);
  return { ...NO_CHANGE, add };
}

/** Effect of one sequence, then another one. */
export function compose(first: TrustChange, then: TrustChange): TrustChange {
  const within = (value: number): number => Math.min(then.high, Math.max(then.low, value + then.add));
  // An addition beyond the range has the same effect as one of the whole range, and the sum stays an exact integer.
  const add = Math.min(TRUST_UNITS, Math.max(-TRUST_UNITS, first.add + then.add));
  return { add, low: within(first.low), high: within(first.high) };
}

/** Trust after a sequence, 0 to 1. */
export function trustAfter(change: TrustChange, { initial }: TrustFigures): number {
  const start = Math.round(initial * TRUST_UNITS);
  return Math.min(change.high, Math.max(change.low, start + change.add)) / TRUST_UNITS;
}

/**
 * The effect of sequences in a fixed order, of which more and more are included: a binary tree whose nodes have the
 * effect of the leaves below them. Including one more takes a number of steps that is logarithmic in the number of
 * sequences.
 */
export class OrderedChanges {
  readonly #leaves: number;
  readonly #nodes: TrustChange[];

  constructor(count: number) {
    this.#leaves = 2 ** Math.ceil(Math.log2(Math.max(1, count)));
    this.#nodes = Array.from({ length: 2 * this.#leaves }, () => NO_CHANGE);
  }

  include(index: number, change: TrustChange): void {
    let node = this.#leaves + index;
    this.#nodes[node] = change;
    while ((node >>>= 1) > 0)
      this.#nodes[node] = compose(this.#nodes[2 * node] as TrustChange, this.#nodes[2 * node + 1] as TrustChange);
  }

  /** Effect of the included sequences. */
  get total(): TrustChange {
    return this.#nodes[1] as TrustChange;
  }
}

/** A sequence of interactions of one period. */
export interface TrustPart {
  period: string;
  change: TrustChange;
}

/**
 * Trust at the end of periods: after all interactions of this and of earlier periods, in the order of their ids.
 *
 * @param parts In the order of their ids, which may differ from the order of their periods.
 * @returns Trust by period.
 */
export function trustByPeriod(parts: readonly TrustPart[], figures: TrustFigures): Map<string, number> {
  const changes = new OrderedChanges(parts.length);
  const byPeriod = new Map<string, number>();
  const order = [...parts.keys()].toSorted((one, other) => compareText(periodAt(one), periodAt(other)));
  for (const index of order) {
    changes.include(index, (parts[index] as TrustPart).change);
    byPeriod.set(periodAt(index), trustAfter(changes.total, figures));
  }
  return byPeriod;

  function periodAt(index: number): string {
    return (parts[index] as TrustPart).period;
  }
}

/** Order of texts by UTF-16 code units. */
function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
