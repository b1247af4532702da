import { runCallerCode } from "../errors/caller_errors.ts";
import { ValidationError } from "../errors/errors.ts";
import { describe } from "../text/describe.ts";
import { assertOptions } from "../text/options.ts";

/** Progress of an export. */
export interface ExportProgress {
  /** Interactions written so far. */
  done: number;
  /** Total number of interactions. */
  total: number;
}

/** Settings of an export. */
export interface ExportOptions {
  /**
   * Called with the progress of the export: at its beginning, after every 50,000 interactions, and at its end. If it
   * throws, the export ends, and no file is written.
   */
  onProgress?: ((progress: ExportProgress) => void) | undefined;
}

/** Interactions between two reports, which results in a few reports per second. */
const STEP = 50_000;

/** Reports progress at intervals, if the caller asked for it. */
export type Report = (done: number, total: () => number) => void;

/** @throws ValidationError that names the option. */
export function reporterOf(options: ExportOptions): Report {
  assertOptions("options", options, ["onProgress"]);
  const { onProgress } = options;
  if (onProgress === undefined) return () => undefined;
  if (typeof onProgress !== "function")
    throw new ValidationError(`expected a function, got ${describe(onProgress)}. Nothing was written.`, {
      argument: "onProgress",
    });
  let known: number | undefined;
  return (done, total) => {
    known ??= total();
    if (done % STEP === 0 || done === known) runCallerCode(() => onProgress({ done, total: known as number }));
  };
}
