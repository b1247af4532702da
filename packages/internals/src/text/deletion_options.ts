import { runCallerCode } from "../errors/caller_errors.ts";
import { ValidationError } from "../errors/errors.ts";
import { describe } from "./describe.ts";

/** Progress of a deletion. */
export interface DeletionProgress {
  /** Rows deleted so far, without those of their metadata. */
  done: number;
  /** Number of rows to delete when the call began. */
  total: number;
}

/** Settings of a deletion. */
export interface DeletionOptions {
  /**
   * True to leave no copy of what is deleted in the file: the bytes are overwritten, also those of rows that were deleted
   * before, and the log is emptied. Without it, deleted rows cannot be asked for any more, but the file may still contain
   * parts of them until SQLite needs the space. False by default.
   */
  erase?: boolean | undefined;
  /** Called after each part of the deletion, which is then stored. If it throws, the rest is not deleted. */
  onProgress?: ((progress: DeletionProgress) => void) | undefined;
}

/** Names of {@link DeletionOptions}. */
export const DELETION_OPTIONS: readonly string[] = ["erase", "onProgress"];

/** Checked settings of a deletion. */
export interface CheckedDeletionOptions {
  erase: boolean;
  /**
   * Undefined if the caller passed no function. `metadata` is the number of deleted texts of metadata so far, where rows
   * have some.
   */
  report: ((done: number, total: number, metadata?: number) => void) | undefined;
}

/** @throws ValidationError that names the option; nothing is deleted. */
export function checkedDeletionOptions({ erase, onProgress }: DeletionOptions): CheckedDeletionOptions {
  if (erase !== undefined && typeof erase !== "boolean") refuse("erase", "a boolean", erase);
  if (onProgress !== undefined && typeof onProgress !== "function") refuse("onProgress", "a function", onProgress);
  return {
    erase: erase === true,
    report: onProgress && ((done, total) => runCallerCode(() => onProgress({ done, total }))),
  };
}

function refuse(argument: string, expected: string, given: unknown): never {
  throw new ValidationError(`expected ${expected}, got ${describe(given)}. Nothing was deleted.`, { argument });
}
