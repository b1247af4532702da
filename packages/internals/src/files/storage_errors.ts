import { isCallerError } from "../errors/caller_errors.ts";
import { BusyError, CorruptDataError, PerduraError, StorageError } from "../errors/errors.ts";
import { quotaReason } from "./out_of_space.ts";
import { systemReason } from "./system_reason.ts";

/**
 * Runs a task on stored data. Converts an error of the operating system or SQLite to an error that names the file and
 * states what is unchanged. Errors of perdura and of the caller's code are passed on unchanged.
 *
 * @param path The file, database or directory concerned.
 * @param action The attempted action, for example `saving`.
 */
export function withStorage<Result>(path: string, action: string, task: () => Result): Result {
  try {
    return task();
  } catch (error) {
    throw storageErrorOf(error, path, action);
  }
}

/** See {@link withStorage}. */
export function storageErrorOf(error: unknown, path: string, action: string): unknown {
  if (!(error instanceof Error) || error instanceof PerduraError || isCallerError(error)) return error;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  const details = { path, cause: error };
  // The driver's error for a missing directory, for example after the failure of a disk, has no code.
  // oxlint-disable-next-line messages/no-decisions -- the words of better-sqlite3
  if (error instanceof TypeError && error.message.endsWith("directory does not exist"))
    return new StorageError(`${action} failed: ${error.message}.${unchangedText(action)}`, details);
  if (typeof code !== "string") return error;
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED"))
    return busyError(path, isReading(action) ? "" : (AFTER_STEPS[action] ?? "Nothing was written."), error);
  // Closing the connection may have moved a log into the file: its data are the same, its bytes need not be.
  const unchanged = unchangedText(action);
  if (code === "SQLITE_NOTADB") return new CorruptDataError(`not an SQLite database.${unchanged}`, details);
  if (code.startsWith("SQLITE_CORRUPT")) {
    return new CorruptDataError(`the database is damaged (${error.message}).${unchanged}`, details);
  }
  if (code.startsWith("SQLITE_") || typeof syscall === "string") {
    const reason = systemReason(code, path) ?? quotaReason(error) ?? error.message;
    const mayBeWritten = isUncertain(error);
    const fate = mayBeWritten ? " The commit may have succeeded. Check before retrying." : unchangedText(action);
    return new StorageError(`${action} failed: ${reason}.${fate}`, { ...details, mayBeWritten });
  }
  return error;
}

/** The error for a database that another process held for too long. `unchanged` is a sentence, or empty. */
export function busyError(path: string, unchanged: string, cause?: Error): BusyError {
  const why = "another process held the database for longer than the busy time-out.";
  const sentences = [why, unchanged, "Try again when that process has finished."].filter((each) => each !== "");
  return new BusyError(sentences.join(" "), { path, cause });
}

const READING = new Set(["reading", "loading", "listing", "looking for it", "looking at it"]);

/** True for an action that only reads: its error need not state what is unchanged. */
export function isReading(action: string): boolean {
  return READING.has(action);
}

function unchangedText(action: string): string {
  return isReading(action) ? "" : ` ${AFTER_STEPS[action] ?? "No stored data was changed."}`;
}

/** What an error leaves of an action whose steps are stored one after the other. */
export const AFTER_STEPS: Readonly<Record<string, string>> = {
  "deleting several files": "What was deleted before stays deleted. Call again for the rest.",
  "deleting uses": "What was deleted before stays deleted. Call again for the rest.",
  "deleting interactions": "What was deleted before stays deleted. Call again for the rest.",
};

/** Errors after which a transaction may have been committed. */
const uncertainErrors = new WeakSet<object>();

/**
 * Runs a commit. If the disk fails during the commit, the next program that opens the database may find the transaction
 * committed. After any other error it is not committed.
 */
export function trackUncertainCommit<Result>(commit: () => Result): Result {
  try {
    return commit();
  } catch (error) {
    throw markUncertain(error);
  }
}

/** Marks the error of a commit that may have succeeded. */
export function markUncertain(error: unknown): unknown {
  const { code } = error as { code?: unknown };
  if (typeof code === "string" && code.startsWith("SQLITE_IOERR")) uncertainErrors.add(error as object);
  return error;
}

/**
 * True for an error of {@link trackUncertainCommit} after which the transaction may be committed, and for an error that it
 * caused.
 */
export function isUncertain(error: unknown): boolean {
  if (typeof error !== "object" || error === null || isCallerError(error)) return false;
  return (
    uncertainErrors.has(error) || (error instanceof PerduraError && (error.mayBeWritten || isUncertain(error.cause)))
  );
}
