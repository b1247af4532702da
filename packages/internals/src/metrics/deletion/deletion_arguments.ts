import { type CheckedDeletionOptions, checkedDeletionOptions, DELETION_OPTIONS } from "../../text/deletion_options.ts";
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
export interface CheckedDeletion extends RowsToDelete, CheckedDeletionOptions {}

/** @throws ValidationError that names the argument or the option; nothing is deleted. */
export function checkedForgetting(userId: string, options: DeletionOptions): CheckedDeletion {
  assertText("userId", userId);
  assertOptions("options", options, DELETION_OPTIONS);
  return { userId, before: undefined, ...checkedDeletionOptions(options) };
}

/** @throws ValidationError that names the argument or the option; nothing is deleted. */
export function checkedDeletion(time: Date | string, options: DeleteBeforeOptions): CheckedDeletion {
  const before = checkedMoment("time", time);
  assertOptions("options", options, ["user_id", ...DELETION_OPTIONS]);
  const { user_id: userId } = options;
  // An id that is computed and missing must not delete the rows of all users.
  if ("user_id" in options) assertText("user_id", userId);
  return { userId, before, ...checkedDeletionOptions(options) };
}
