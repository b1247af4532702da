import { BusyError, CorruptDataError, PerduraError, StorageError } from "./errors.ts";

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
  if (!(error instanceof Error) || error instanceof PerduraError) return error;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code !== "string") return error;
  const details = { path, cause: error };
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) {
    return new BusyError(
      `${path}: another process held the database for longer than the busy time-out. Nothing was written.`,
      details,
    );
  }
  if (code === "SQLITE_NOTADB")
    return new CorruptDataError(`${path}: not an SQLite database. It was left as it is.`, details);
  if (code.startsWith("SQLITE_CORRUPT")) {
    return new CorruptDataError(`${path}: the database is damaged (${error.message}). It was left as it is.`, details);
  }
  if (code.startsWith("SQLITE_") || typeof syscall === "string") {
    return new StorageError(`${path}: ${action} failed: ${error.message}. What is stored is as it was.`, details);
  }
  return error;
}
