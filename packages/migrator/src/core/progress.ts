/** The steps that work on one item goes through, in order. */
export type Stage =
  | "discover"
  | "inspect"
  | "lock"
  | "backup"
  | "change"
  | "verify"
  | "commit"
  | "archive"
  | "read_back"
  | "place"
  | "compare"
  | "copy"
  | "revert"
  | "restore"
  | "prune";

/** One step has begun, or is some way on. */
export interface ProgressEvent {
  event: "progress";
  /** The database or directory at work. */
  path: string;
  stage: Stage;
  /** What is done now, in words. */
  detail: string;
  /** How far the step is, where that can be told; otherwise null. */
  done: number | null;
  total: number | null;
  unit: "rows" | "bytes" | "entries" | null;
}

/** How far a piece of work is, in rows. */
interface Share {
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
