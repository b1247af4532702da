import { CorruptDataError, isPerduraError, StorageError } from "@perdura/internals/errors/errors.js";
import { isBusy } from "@perdura/internals/sqlite/busy.js";
import type { PostgresTables } from "@perdura/postgres/tables";
import { Stop } from "../stop.ts";

/** What became of the data when a copy ended early. */
const FATE = "What was copied stays; run it again to finish.";

/** What PostgreSQL says beside its message. */
interface Said extends Error {
  code?: unknown;
  detail?: unknown;
  constraint?: unknown;
  where?: unknown;
}

/**
 * What a driver, PostgreSQL, SQLite or the network threw while rows were copied, as an error that names the place.
 *
 * @param sqlite Where SQLite is.
 */
export function copyFailure(error: unknown, tables: PostgresTables, sqlite: string): unknown {
  if (!(error instanceof Error) || error instanceof Stop || isPerduraError(error)) return error;
  const { code, detail, constraint, where } = error as Said;
  if (typeof code === "string" && code.startsWith("SQLITE_")) return failureOfSqlite(error, code, sqlite);
  // Keys that are told apart in the source, and were not there when the target was compared.
  if (code === "23505" && typeof constraint === "string" && constraint.endsWith("_pkey"))
    return addedByOthers(tables.place, error);
  // Else nobody knows which row it is about.
  const more = [detail, typeof where === "string" ? where.split("\n")[0] : undefined].filter(Boolean).join("; ");
  const full = more === "" ? error : Object.assign(new Error(`${error.message} (${more})`, { cause: error }), { code });
  return tables.failure(full, "copying", FATE);
}

/** Says that rows that were about to be added have been added by somebody else. */
export function addedByOthers(place: string, cause: unknown): Stop {
  return new Stop(
    "in_use",
    `${place}: another program added rows meanwhile that this copy was about to add; is another copy at work? ${FATE}`,
    cause,
  );
}

function failureOfSqlite(error: Error, code: string, path: string): Error {
  const details = { path, cause: error };
  if (isBusy(error))
    return new Stop(
      "in_use",
      `${path}: another process held the database for longer than the busy time-out. ${FATE}`,
      error,
    );
  if (code.startsWith("SQLITE_CORRUPT"))
    return new CorruptDataError(`${path}: the database is damaged (${error.message}). ${FATE}`, details);
  return new StorageError(`${path}: copying failed: ${error.message}. ${FATE}`, details);
}
