import { monotonicMs } from "../runtime/monotonic.ts";
/** Time for which a step may keep other writers waiting, in milliseconds. */
export const STEP_MS = 30;

/** Least number of rows in a step: preparing it would take longer. */
const FEWEST = 16;

/**
 * Greatest number of rows in a step. A step that found fewer rows than it may take is fast, however many it may take: next
 * to a program that keeps recording, the number would double until SQLite refuses it.
 */
const MOST = 100_000;

/**
 * Number of rows that take about `sliceMs`, after `rows` took `tookMs`; at most twice as many, because the next ones may
 * take longer.
 */
export function fittingRows(rows: number, tookMs: number, sliceMs: number, fewest: number = FEWEST): number {
  return Math.round(Math.max(fewest, Math.min(2 * rows, (rows * sliceMs) / tookMs, MOST)));
}

/** Number of rows of a piece of work, adapted to the time that pieces take. */
export class Pace {
  readonly #fewest: number;
  rows: number;

  constructor(rows: number) {
    this.rows = rows;
    this.#fewest = Math.min(FEWEST, rows);
  }

  /** Takes fewer rows from now on if a transaction took longer than `sliceMs`: its end may wait for the disk. */
  slowDown(tookMs: number, sliceMs: number): void {
    if (tookMs > sliceMs) this.rows = Math.max(this.#fewest, Math.floor((this.rows * sliceMs) / tookMs));
  }

  /** Runs pieces of up to `sliceMs` until the moment `end`, or until one returns false; returns what the last one returned. */
  run(piece: (rows: number) => boolean, sliceMs: number, end: number): boolean {
    for (;;) {
      const began = monotonicMs();
      const more = piece(this.rows);
      const now = monotonicMs();
      this.rows = fittingRows(this.rows, now - began, sliceMs, this.#fewest);
      if (!more || now + (now - began) > end) return more;
    }
  }
}
