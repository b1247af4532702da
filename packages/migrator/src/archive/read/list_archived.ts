import { CorruptDataError } from "@perdura/internals/errors/errors.js";
import { storageErrorOf } from "@perdura/internals/files/storage_errors.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { ARCHIVE_PATH, assertPath } from "../../core/argument_checks.ts";
import { Stop } from "../../core/stop.ts";
import { nameFromBytes, shownName } from "../tree/entry_name.ts";
import { archiveError, openArchive, tableFault } from "../format/open_archive.ts";
import type { StateColumns } from "../format/state_file.ts";

/** A row of the table `states` of an archive; see the specification, section 2.8. */
export interface ArchivedState extends StateColumns {
  /** Name of the file in the directory. Bytes that are not valid UTF-8 are shown as escapes such as `\xff`. */
  file: string;
  /** The bytes of the name in hexadecimal if it is not UTF-8; otherwise null. */
  file_hex: string | null;
  /** The user that the file name stands for. */
  user_id: string;
  /** Members without a column, as the text of a JSON object with unchanged values; null without such members. */
  extra: string | null;
  /** Checksum of the bytes of the file. */
  sha256: string;
  status: "ok" | "broken";
  /** Reason of `broken`; for `ok`, unusual values in the file. */
  reason: string | null;
}

/**
 * Lists the states in an archive, one at a time, sorted by file name. The archive stays open until the generator ends
 * or the loop is left.
 *
 * @param archive Path of a `.v15.sqlar` file.
 * @throws ValidationError for an invalid path; FileNotFoundError if the file does not exist; CorruptDataError if it is
 *   not an archive of states, if perdura-migrate cannot have written one of its rows, and, after the last state, if
 *   rows are missing.
 * @example
 * ```ts
 * const trusted: string[] = [];
 * for (const { user_id, trust_level } of listArchivedStates("./empathy_state.v15.sqlar"))
 *   if ((trust_level ?? 0) > 0.9) trusted.push(user_id);
 * console.log(trusted); // [ 'minimal', 'shuffled' ]
 * ```
 */
export function listArchivedStates(archive: string): Generator<ArchivedState, void, undefined> {
  // At the call, not at the first state.
  assertPath("archive", archive, ARCHIVE_PATH);
  return statesIn(archive);
}

function* statesIn(archive: string): Generator<ArchivedState, void, undefined> {
  let database: Database | undefined;
  try {
    database = openArchive(archive);
    const rows = database
      .prepare(
        `SELECT CAST(file AS BLOB) AS file, CAST(user_id AS BLOB) AS user_id, ${Object.keys(TYPES).join(", ")} FROM states ORDER BY file`,
      )
      .iterate() as IterableIterator<Record<string, unknown>>;
    for (const row of rows) yield typed(row, archive);
    // The states that were read are useful, but an incomplete list must not look complete.
    const fault = tableFault(database);
    if (fault !== undefined) throw new Stop("failed", `The archive is damaged: ${fault}.`);
  } catch (error) {
    throw archiveError(storageErrorOf(error, archive, "reading"), archive);
  } finally {
    database?.close();
  }
}

type Column = Exclude<keyof ArchivedState, "file" | "file_hex" | "user_id">;

const isNumber = (value: unknown): boolean => value === null || typeof value === "number";

const isInteger = (value: unknown): boolean => value === null || Number.isSafeInteger(value);

const isText = (value: unknown): boolean => value === null || typeof value === "string";

/** Values that each column can hold. */
const TYPES: Record<Column, (value: unknown) => boolean> = {
  trust_level: isNumber,
  current_level: isInteger,
  target_level: isInteger,
  interaction_count: isInteger,
  success_count: isInteger,
  failure_count: isInteger,
  last_interaction: isText,
  created_at: isText,
  extra: isText,
  sha256: (value) => typeof value === "string",
  status: (value) => value === "ok" || value === "broken",
  reason: isText,
};

function typed(row: Record<string, unknown>, archive: string): ArchivedState {
  if (!Buffer.isBuffer(row["file"]))
    throw new CorruptDataError(`a row of the table states has no file name.`, { path: archive });
  const name = nameFromBytes(row["file"]);
  const file = shownName(name);
  const wrong = Object.entries(TYPES).find(([column, fits]) => !fits(row[column]));
  if (wrong !== undefined)
    throw new CorruptDataError(`invalid value in the column ${wrong[0]} of ${JSON.stringify(file)}.`, {
      path: archive,
    });
  const isUtf8Name = Buffer.from(file).equals(row["file"] as Buffer);
  return {
    ...(row as unknown as ArchivedState),
    file,
    file_hex: isUtf8Name ? null : (row["file"] as Buffer).toString("hex"),
    user_id: shownName(nameFromBytes(row["user_id"] as Buffer)),
  };
}
