import { statSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import type { Listing, Listings } from "../archive/states/listing.ts";
import type { Settings } from "../core/options.ts";
import type { InPieces, ProgressEvent, Stage } from "../core/progress.ts";
import { Stop } from "../core/stop.ts";
import type { DowngradeInspection, DowngradeInspections } from "../database/downgrade/downgrade_database.ts";
import { type ReadLevels, noUserLevels } from "../database/levels/level_source.ts";
import type { Inspection } from "../database/inspect/inspect_database.ts";
import type { DatabaseRun, Seen } from "../database/inspect/plan_database.ts";
import type { HelperProcess } from "../io/child/helper_process.ts";
import { FileProcess, helperForChecks, LARGE } from "../io/child/workers.ts";
import { removeCopy } from "../io/copy_database.ts";
import type { EarlyCopies, EarlyCopy } from "../io/early_copy.ts";

/** The state that the parts of one run share. */
export class Session implements DatabaseRun, DowngradeInspections, Listings {
  readonly settings: Settings;
  readonly files: FileProcess;
  readonly hashes: FileProcess;
  readonly checks: HelperProcess;
  readonly listings: Map<string, Listing> = new Map();
  readonly inspected: Map<string, Seen<Inspection>> = new Map();
  readonly downgrades: Map<string, Seen<DowngradeInspection>> = new Map();
  copying: EarlyCopies["copying"] = null;
  readonly earlyCopies: Map<string, EarlyCopy> = new Map();
  /** Sentences about temporary files that could not be removed; the next run tries again. */
  readonly notRemoved: string[] = [];
  /** Values that the caller's `onProgress` threw; they abort the run. */
  readonly callbackErrors: unknown[] = [];
  askLevels: ReadLevels = noUserLevels;

  constructor(settings: Settings) {
    this.settings = guardProgress(settings, this.callbackErrors);
    const { signal } = this.settings;
    this.files = new FileProcess(signal);
    this.hashes = new FileProcess(signal);
    this.checks = helperForChecks(signal);
  }

  hasherOf(path: string): FileProcess {
    return statSync(path).size < LARGE ? this.files : this.hashes;
  }

  async stage(path: string, stage: Stage, detail: string): Promise<void> {
    await this.progress({ path, stage, detail, done: null, total: null, unit: null });
  }

  async progress(step: Omit<ProgressEvent, "event">): Promise<void> {
    this.reportProgress(step);
    // Twice: the first turn may run before the event loop has checked for signals.
    await turn();
    await turn();
    this.assertNotInterrupted();
  }

  async inPieces<Result>(
    step: Pick<ProgressEvent, "path" | "stage" | "detail">,
    work: InPieces<Result>,
  ): Promise<Result> {
    for (;;) {
      const { done, value } = work.next();
      if (done === true) return value;
      await this.progress({ ...step, ...value, unit: "rows" });
    }
  }

  reportProgress(step: Omit<ProgressEvent, "event">): void {
    this.settings.onProgress({ event: "progress", ...step });
  }

  discard(path: string, remove: (path: string) => void = removeCopy): void {
    try {
      remove(path);
    } catch (error) {
      this.notRemoved.push(`Cannot remove ${path}: ${(error as Error).message}. The next run will try again.`);
    }
  }

  assertNotInterrupted(): void {
    if (this.settings.signal?.aborted === true) throw new Stop("interrupted", "Interrupted. No data was changed.");
  }

  [Symbol.dispose](): void {
    this.files.close();
    this.hashes.close();
    this.checks.close();
    for (const listing of this.listings.values()) listing.close();
    for (const { path } of this.earlyCopies.values()) this.discard(path);
  }
}

/**
 * The same settings, with an `onProgress` that never throws. If the caller's does, the run is aborted as by a signal:
 * an exception within a transaction, the search or a child's answer would have a different effect each time.
 *
 * @param callbackErrors Receives the thrown values.
 */
function guardProgress(settings: Settings, callbackErrors: unknown[]): Settings {
  const own = new AbortController();
  const { signal, onProgress } = settings;
  const stop = (error: unknown): void => {
    callbackErrors.push(error);
    own.abort();
  };
  return {
    ...settings,
    signal: signal === undefined ? own.signal : AbortSignal.any([signal, own.signal]),
    onProgress: (event) => {
      // Not called again after a failure.
      if (callbackErrors.length > 0) return;
      try {
        const answer: unknown = onProgress(event);
        if (answer instanceof Promise) answer.catch(stop);
      } catch (error) {
        stop(error);
      }
    },
  };
}
