import { CorruptDataError } from "../errors/errors.ts";

/** Turns the driver's codes for damaged files into a {@link CorruptDataError}; anything else passes unchanged. */
export function translateSqliteError(error: unknown, path: string): unknown {
  const { code, message } = error as { code?: unknown; message?: string };
  if (code === "SQLITE_NOTADB") {
    return new CorruptDataError(`${path}: not an SQLite database. It was left as it is.`, { path, cause: error });
  }
  if (typeof code === "string" && code.startsWith("SQLITE_CORRUPT")) {
    return new CorruptDataError(`${path}: the database is damaged (${message}). It was left as it is.`, {
      path,
      cause: error,
    });
  }
  return error;
}
