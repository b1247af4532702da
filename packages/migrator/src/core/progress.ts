/** Says how far work is, and lets a request to stop arrive: the driver works synchronously, so nothing else would. */
export interface Progress {
  /**
   * Says what comes next.
   *
   * @throws Stop when the run was interrupted.
   */
  stage(path: string, stage: Stage, detail: string): Promise<void>;
  /** Says how far a step is. Throws as {@link stage} does. */
  progress(step: Omit<ProgressEvent, "event">): Promise<void>;
  /** Does long work on rows, and says after each piece how far it is. Throws as {@link stage} does. */
  inPieces<Result>(step: Pick<ProgressEvent, "path" | "stage" | "detail">, work: InPieces<Result>): Promise<Result>;
  /** Only says how far a step is. */
  tell(step: Omit<ProgressEvent, "event">): void;
  /** @throws Stop when the run was interrupted. */
  assertWanted(): void;
}

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

/** Removes what is not needed any more. */
export interface Cleanup {
  /** That this fails changes nothing about the data, so it is only reported. */
  discard(path: string, remove?: (path: string) => void): void;
}
