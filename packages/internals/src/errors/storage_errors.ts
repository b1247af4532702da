import { isOfCaller } from "./callers_code.ts";
import { BusyError, CorruptDataError, PerduraError, StorageError } from "./errors.ts";
import { shortageAfter } from "./room_left.ts";

/**
 * Does something with stored data; what the operating system or SQLite throws becomes an error that names the file and
 * says what stayed. Errors of perdura and of the caller's own code pass unchanged.
 *
 * @param path The file, database or directory concerned.
 * @param action What was tried, for example `saving`.
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
  if (!(error instanceof Error) || error instanceof PerduraError || isOfCaller(error)) return error;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  const details = { path, cause: error };
  // The SQLite driver looks for the directory, and says so when it finds none; a disk that fails is one reason. It has no code for it.
  // oxlint-disable-next-line messages/no-decisions -- the words of better-sqlite3
  if (error instanceof TypeError && error.message.endsWith("directory does not exist"))
    return new StorageError(`${action} failed: ${error.message}. What is stored is as it was.`, details);
  if (typeof code !== "string") return error;
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) {
    return new BusyError(
      `another process held the database for longer than the busy time-out. Nothing was written.`,
      details,
    );
  }
  if (code === "SQLITE_NOTADB") return new CorruptDataError(`not an SQLite database. It was left as it is.`, details);
  if (code.startsWith("SQLITE_CORRUPT")) {
    return new CorruptDataError(`the database is damaged (${error.message}). It was left as it is.`, details);
  }
  if (code.startsWith("SQLITE_") || typeof syscall === "string") {
    const short = shortageAfter(code, path);
    const mayBeWritten = isDoubtful(error);
    const fate = mayBeWritten
      ? "Whether it was written is not known: look before you repeat it."
      : "What is stored is as it was.";
    return new StorageError(`${action} failed: ${error.message}${short}. ${fate}`, { ...details, mayBeWritten });
  }
  return error;
}

/** Errors after which nobody knows whether a transaction was committed. */
const doubtful = new WeakSet<object>();

/**
 * Commits. When the disk fails in the middle of that, the transaction may be committed, and be found by the next program
 * that opens the database; any other error means that it is not.
 */
export function committing<Result>(commit: () => Result): Result {
  try {
    return commit();
  } catch (error) {
    throw doubted(error);
  }
}

/** The error of a commit; marked where what was to be written may be there. */
export function doubted(error: unknown): unknown {
  const { code } = error as { code?: unknown };
  if (typeof code === "string" && code.startsWith("SQLITE_IOERR")) doubtful.add(error as object);
  return error;
}

/** True for an error of {@link committing} after which what was to be written may be there, and for one made of it. */
export function isDoubtful(error: unknown): boolean {
  if (typeof error !== "object" || error === null || isOfCaller(error)) return false;
  return doubtful.has(error) || (error instanceof PerduraError && isDoubtful(error.cause));
}
