import { runCallerCode } from "../../errors/caller_errors.ts";
import { ValidationError } from "../../errors/errors.ts";
import { describe } from "../../text/describe.ts";
import { assertText } from "../../text/identifiers.ts";
import { assertOptions } from "../../text/options.ts";
import { checkedMoment } from "../time_range.ts";
import type { DeleteBeforeOptions, DeletionOptions } from "./deletion.ts";

/**
 * The rows to delete: all interactions of a user, those before a moment, of a user or of all users, or metadata without
 * an interaction.
 */
export interface RowsToDelete {
  orphans?: true;
  userId: string | undefined;
  /** Text in UTC, `YYYY-MM-DDTHH:MM:SS.fff`. */
  before: string | undefined;
}

/** Checked settings of a deletion. */
export interface CheckedDeletion extends RowsToDelete {
  erase: boolean;
  /** Undefined if the caller passed no function. */
  report: ((done: number, total: number) => void) | undefined;
}

/** @throws ValidationError that names the argument or the option; nothing is deleted. */
export function checkedForgetting(userId: string, options: DeletionOptions): CheckedDeletion {
  assertText("userId", userId);
  assertOptions("options", options, ["erase", "onProgress"]);
  return { userId, before: undefined, ...checkedOptions(options) };
}

/** @throws ValidationError that names the argument or the option; nothing is deleted. */
export function checkedDeletion(time: Date | string, options: DeleteBeforeOptions): CheckedDeletion {
  const before = checkedMoment("time", time);
  assertOptions("options", options, ["user_id", "erase", "onProgress"]);
  const { user_id: userId } = options;
  // An id that is computed and missing must not delete the rows of all users.
  if ("user_id" in options) assertText("user_id", userId);
  return { userId, before, ...checkedOptions(options) };
}

function checkedOptions({ erase, onProgress }: DeletionOptions): Pick<CheckedDeletion, "erase" | "report"> {
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
