/** Reports progress and checks for a request to stop: the driver is synchronous, so no signal is handled meanwhile. */
export interface Progress {
  /**
   * Reports the next stage.
   *
   * @throws Stop if the run was interrupted.
   */
  stage(path: string, stage: Stage, detail: string): Promise<void>;
  /** Reports the progress of a step. Throws as {@link stage} does. */
  progress(step: Omit<ProgressEvent, "event">): Promise<void>;
  /** Runs long work on rows, with a report after each piece. Throws as {@link stage} does. */
  inPieces<Result>(step: Pick<ProgressEvent, "path" | "stage" | "detail">, work: InPieces<Result>): Promise<Result>;
  /** Reports the progress of a step without a check for a request to stop. */
  reportProgress(step: Omit<ProgressEvent, "event">): void;
  /** @throws Stop if the run was interrupted. */
  assertNotInterrupted(): void;
}

/** The stages of the work on one item, in order. */
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
  | "downgrade"
  | "restore"
  | "prune"
  | "sums"
  | "forget"
  | "compact";

/** The start of a step, or its progress. */
export interface ProgressEvent {
  event: "progress";
  /** The database or directory being processed. */
  path: string;
  stage: Stage;
  /** Description of the step. */
  detail: string;
  /** Progress of the step, if known; otherwise null. */
  done: number | null;
  total: number | null;
  unit: "rows" | "bytes" | "entries" | null;
}

/** Progress of a piece of work, in rows. */
interface Share {
  done: number;
  total: number;
}

/** Long work that yields at intervals, so that it can report progress and be interrupted. */
export type InPieces<Result> = Generator<Share, Result, void>;

/** Runs such work without interruption. */
export function atOnce<Result>(work: InPieces<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Part of a run that removes files. */
export interface Cleanup {
  /** Removes a temporary file. A failure does not concern the data, so it is only reported. */
  discard(path: string, remove?: (path: string) => void): void;
}
