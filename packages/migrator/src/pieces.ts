/** How far a piece of work is, in rows. */
export interface Share {
  done: number;
  total: number;
}

/** Long work that comes up for air every now and then, so that it can say how far it is and be interrupted in between. */
export type InPieces<Result> = Generator<Share, Result, void>;

/** Does such work in one go. */
export function atOnce<Result>(work: InPieces<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
