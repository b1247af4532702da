import { CorruptDataError, isPerduraError, StorageError } from "@perdura/internals/errors/errors.js";
import { isBusy } from "@perdura/internals/sqlite/busy.js";
import type { PostgresTables } from "@perdura/postgres/tables";
import { Stop } from "../core/stop.ts";

/** The state of the data after a copy that ended early. */
export const AFTER_FAILURE = "Copied rows are kept. Run the copy again to finish.";

/** Details that PostgreSQL, SQLite, the network or the file system add to a message. */
interface ErrorDetails extends Error {
  code?: unknown;
  syscall?: unknown;
  path?: unknown;
  detail?: unknown;
  constraint?: unknown;
  where?: unknown;
}

/**
 * Converts an error during a copy, of the driver, PostgreSQL, SQLite, the network or the file system, to an error that
 * names the place.
 *
 * @param sqlite Path of SQLite's side.
 * @param begun False if nothing can have been copied yet.
 */
export function copyFailure(error: unknown, tables: PostgresTables, sqlite: string, begun: boolean): unknown {
  const known = begun && isPerduraError(error, "PERDURA_STORAGE") && error.path === tables.place;
  const said = (known ? error.cause : error) as ErrorDetails;
  if (!(said instanceof Error) || said instanceof Stop || isPerduraError(said)) return error;
  const { code, syscall, path, constraint } = said;
  if (typeof code === "string" && code.startsWith("SQLITE_")) return failureOfSqlite(said, code, sqlite);
  if (typeof syscall === "string" && typeof path === "string") return failed(path, said.message, said);
  // Keys that are distinct in the source, and that did not exist when the target was compared.
  if (code === "23505" && typeof constraint === "string" && constraint.endsWith("_pkey"))
    return addedByOthers(tables.place, said);
  if (tables.isBroken(said))
    return failed(tables.place, `the connection to the server was lost (${said.message})`, said);
  const about = aboutRows(said);
  return about === ""
    ? tables.failure(said, "copying", AFTER_FAILURE, true)
    : failed(tables.place, `${said.message} (${about})`, said);
}

/** Error for rows to be added that another program has added meanwhile. */
export function addedByOthers(place: string, cause: unknown): Stop {
  return new Stop(
    "in_use",
    `${place}: another program has added some of the rows to copy meanwhile. Check that no other copy is running. ${AFTER_FAILURE}`,
    cause,
  );
}

/** Describes the rows that PostgreSQL rejected, if it did. */
function aboutRows({ code, detail, where }: ErrorDetails): string {
  if (typeof code !== "string" || !/^(?:22|23|54|P0)...$/.test(code)) return "";
  const place = typeof where === "string" ? /COPY \S+, line \d+(?:, column \w+)?/.exec(where)?.[0] : undefined;
  return [detail, place].filter((text) => typeof text === "string" && text !== "").join(" ");
}

function failureOfSqlite(error: Error, code: string, path: string): Error {
  if (isBusy(error))
    return new Stop(
      "in_use",
      `${path}: another process locked the database for longer than the busy time-out. ${AFTER_FAILURE}`,
      error,
    );
  if (code.startsWith("SQLITE_CORRUPT"))
    return new CorruptDataError(`the database is damaged (${error.message}). ${AFTER_FAILURE}`, {
      path,
      cause: error,
      mayBeWritten: true,
    });
  return failed(path, error.message, error);
}

function failed(path: string, message: string, cause: unknown): Error {
  return new StorageError(`copying failed: ${message}. ${AFTER_FAILURE}`, { path, cause, mayBeWritten: true });
}
