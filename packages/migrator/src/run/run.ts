import { statSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { FileProcess } from "../child/file_process.ts";
import { HelperProcess } from "../child/helper_process.ts";
import { removeCopy } from "../databases/copy_database.ts";
import type { EarlyCopy } from "../databases/early_copy.ts";
import type { Examination } from "../inspect/examine.ts";
import type { Settings } from "../options.ts";
import type { InPieces } from "../pieces.ts";
import type { ProgressEvent, Stage } from "../report/progress.ts";
import type { Listing } from "../states/listing.ts";
import { type AskLevels, noUserLevels } from "../core/user_levels.ts";
import { Stop } from "../stop.ts";
import { guardProgress } from "./guard_progress.ts";

/** Bytes of a database from which on it is worth while to start other processes, so that its parts are done side by side. */
export const LARGE: number = 32 << 20;

/** What one run of a command carries with it. */
export class Run {
  readonly settings: Settings;
  readonly files: FileProcess;
  /** Another one, so that checksums are made while files are copied. */
  readonly hashes: FileProcess;
  /** Lets SQLite check databases while their rows are counted. */
  readonly checks: HelperProcess;
  /** Does half of the work on directories of states. */
  readonly states: HelperProcess;
  /** What was listed of state directories; see `keepListing`. */
  readonly listings: Map<string, Listing> = new Map();
  /** What was found in the rows of each database. */
  readonly examined: Map<string, Examination> = new Map();
  /** Names of the tables of each database that could be named as the source of levels. */
  readonly levelTables: Map<string, readonly string[]> = new Map();
  /** True where a database may be copied while it is examined. */
  copiesEarly = false;
  readonly earlyCopies: Map<string, EarlyCopy> = new Map();
  /** What is not needed any more and could not be removed, in sentences; the next run tries again. */
  readonly notRemoved: string[] = [];
  /** What the caller's `onProgress` threw; the run is aborted then. */
  readonly thrown: unknown[] = [];
  /** Gives the levels in the collaboration states that were found. */
  askLevels: AskLevels = noUserLevels;

  constructor(settings: Settings) {
    this.settings = guardProgress(settings, this.thrown);
    const { signal } = this.settings;
    this.files = new FileProcess(signal);
    this.hashes = new FileProcess(signal);
    this.checks = new HelperProcess("check_work", signal);
    this.states = new HelperProcess("state_work", signal);
  }

  /** Who computes the checksum of a file: another process than the one that copies, where it is big enough for that. */
  hasherOf(path: string): FileProcess {
    return statSync(path).size < LARGE ? this.files : this.hashes;
  }

  /** The same run with other settings; it ends with this one. */
  with(settings: Partial<Settings>): Run {
    return Object.assign(Object.create(Run.prototype) as Run, this, { settings: { ...this.settings, ...settings } });
  }

  /**
   * Says what comes next, and lets a request to stop arrive: the driver works synchronously, so nothing else would.
   *
   * @throws Stop when the run was interrupted.
   */
  async stage(path: string, stage: Stage, detail: string): Promise<void> {
    await this.progress({ path, stage, detail, done: null, total: null, unit: null });
  }

  /** Says how far a step is, and lets a request to stop arrive. Throws as {@link stage} does. */
  async progress(step: Omit<ProgressEvent, "event">): Promise<void> {
    this.tell(step);
    // Twice: the first turn may come before the event loop has looked for signals.
    await turn();
    await turn();
    this.assertWanted();
  }

  /** Does long work on rows, and says after each piece how far it is. Throws as {@link stage} does. */
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

  /** Only says how far a step is. */
  tell(step: Omit<ProgressEvent, "event">): void {
    this.settings.onProgress({ event: "progress", ...step });
  }

  /** Removes what is not needed any more. That this fails changes nothing about the data, so it is only told. */
  discard(path: string, remove: (path: string) => void = removeCopy): void {
    try {
      remove(path);
    } catch (error) {
      this.notRemoved.push(`${path} could not be removed: ${(error as Error).message}. The next run tries it again.`);
    }
  }

  /** @throws Stop when the run was interrupted. */
  assertWanted(): void {
    if (this.settings.signal?.aborted === true)
      throw new Stop("interrupted", "Interrupted; rolled back, the data is as it was.");
  }

  [Symbol.dispose](): void {
    this.files.close();
    this.hashes.close();
    this.checks.close();
    this.states.close();
    for (const listing of this.listings.values()) listing.close();
    for (const { path } of this.earlyCopies.values()) this.discard(path);
  }
}
