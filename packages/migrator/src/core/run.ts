import type { Settings } from "./options.ts";
import type { InPieces, ProgressEvent, Stage } from "./progress.ts";

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

/** What was asked for. */
export interface HasSettings {
  readonly settings: Settings;
}

/** Removes what is not needed any more. */
export interface Cleanup {
  /** That this fails changes nothing about the data, so it is only reported. */
  discard(path: string, remove?: (path: string) => void): void;
}

/** The same run with other settings; it ends with the first one. */
export function withSettings<Of extends HasSettings>(run: Of, settings: Partial<Settings>): Of {
  const other = Object.create(Object.getPrototypeOf(run) as object) as Of;
  return Object.assign(other, run, { settings: { ...run.settings, ...settings } });
}
