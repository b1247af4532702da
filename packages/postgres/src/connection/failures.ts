import { isCallerError } from "@perdura/internals/errors/caller_errors.js";
import { BusyError, CorruptDataError, PerduraError, StorageError } from "@perdura/internals/errors/errors.js";
import { redactSecrets } from "@perdura/internals/terminal/redact_secrets.js";
import { HIGHEST_ID } from "@perdura/internals/validity/exact_ids.js";
import { AFTER_STEPS, isReading } from "@perdura/internals/files/storage_errors.js";

/** An error of PostgreSQL, whose code has five characters, or of the network. */
interface Failure extends Error {
  code?: unknown;
  /** Only errors of PostgreSQL have a severity. */
  severity?: unknown;
  /** Further sentences of PostgreSQL. */
  detail?: unknown;
  hint?: unknown;
  /** Name of a table without its schema. */
  table?: unknown;
}

/** Codes of transactions that were rolled back because of concurrent ones. A retry may succeed. */
const ROLLED_BACK = new Set(["40001", "40P01"]);

/** Codes for a missing table, column, function or schema, and for a wrong type. */
const UNEXPECTED_TABLES = new Set(["42P01", "42703", "42804", "42883", "3F000"]);

/** Code of the error for rows that a trigger of another program left out of a table. */
export const LEFT_OUT = "PD001";

/** A trigger of another program left out a row of a statement, and PostgreSQL reported no error. */
export class RowLeftOut extends Error {
  readonly code: string = LEFT_OUT;
  readonly table: string;

  /** @param table Its name without the schema. */
  constructor(table: string) {
    super(`a trigger on the table ${table} left out a row`);
    this.table = table;
  }
}

/**
 * Errors of the driver, the network and PostgreSQL. The value is true if the statement may have been executed although
 * it failed.
 */
const driverErrors: WeakMap<Error, boolean> = new WeakMap();

/**
 * Marks an error as thrown by the driver; the first mark counts.
 *
 * @param maybeDone False if nothing can have been committed: there was no connection yet, or the transaction had not
 * ended.
 */
export function markDriverError<Value>(error: Value, maybeDone: boolean): Value {
  if (error instanceof Error && !driverErrors.has(error)) driverErrors.set(error, maybeDone);
  return error;
}

export function isRolledBack(error: unknown): boolean {
  return ROLLED_BACK.has(codeOf(error) ?? "");
}

/** True if another session held a lock for too long. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === "55P03";
}

/** A statement took longer than `statement_timeout` allows, or was cancelled on request. */
export function isCancelled(error: unknown): boolean {
  return codeOf(error) === "57014";
}

/** The disk is full, or the files of a statement are larger than `temp_file_limit` allows. */
export function isOutOfSpace(error: unknown): boolean {
  return ["53100", "53400"].includes(codeOf(error) ?? "");
}

/** True if a row with this key exists already. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === "23505";
}

/** True if a row with this key may exist already: Citus reports so while it copies rows into shards. */
export function mayBeUniqueViolation(error: unknown): boolean {
  return isUniqueViolation(error) || codeOf(error) === "XX000";
}

/** True if the connection must not be used again: it is broken, or PostgreSQL closes it. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  return code === undefined || /^(?:57P..|25P03|25P04|08...)$/.test(code) || !/^[0-9FHPX][0-9A-Z]{4}$/.test(code);
}

/** True if the server, which may be a former primary, or the role only reads. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === "25006";
}

/** True if a server accepts no connection now, but may soon: it has too many, or it is starting or stopping. */
export function isOccupied(error: unknown): boolean {
  return ["53300", "57P03"].includes(codeOf(error) ?? "");
}

/** True for an error after which another server may accept a connection: not for wrong credentials. */
export function isOfServer(error: unknown): boolean {
  return isConnectionLost(error) || isOccupied(error);
}

/** True for a missing privilege, a read-only server, or a full disk. */
export function isUnwritable(error: unknown): boolean {
  const code = codeOf(error instanceof PerduraError ? error.cause : error);
  return ["42501", "25006", "53100"].includes(code ?? "");
}

/** The code of an error from PostgreSQL or the operating system; undefined for errors of the caller's code. */
export function codeOf(error: unknown): string | undefined {
  if (isCallerError(error)) return undefined;
  const { code } = (error ?? {}) as Failure;
  return typeof code === "string" ? code : undefined;
}

/**
 * Converts an error of PostgreSQL, the driver or the network to an error of perdura that names the server. Errors of
 * perdura and of the caller's code are returned unchanged.
 *
 * @param action The attempted action, for example `recording`.
 * @param fate State of the data after the failure, as a sentence; empty after a failed read.
 * @param mayBeWritten True if data may have been changed although the action failed; `fate` then states it.
 */
export function failureOf(
  error: unknown,
  place: string,
  action: string,
  fate: string,
  mayBeWritten: boolean = false,
): unknown {
  if (!(error instanceof Error) || error instanceof PerduraError || isCallerError(error)) return error;
  const code = codeOf(error);
  const details = { path: place, cause: error, mayBeWritten };
  const ending = fate === "" ? "" : ` ${fate}`;
  if (isBusy(error) || isRolledBack(error))
    return new BusyError(`${action}: another session held a lock for longer than the busy time-out.${ending}`, details);
  if (UNEXPECTED_TABLES.has(code ?? ""))
    return new CorruptDataError(`${action}: the tables are not as expected: ${messageOf(error)}.${ending}`, details);
  if (code === "2200H")
    return new StorageError(
      `${action} failed: the next id would be above ${HIGHEST_ID}, the highest integer that JavaScript represents exactly.${ending} Record to another schema, or give the rows with such ids lower ones.`,
      details,
    );
  if (code === LEFT_OUT)
    return new StorageError(
      `${action} failed: a trigger on the table ${String((error as Failure).table)} left out a row.${ending} Drop the trigger, or let it accept such rows.`,
      details,
    );
  if (isReadOnly(error))
    return new StorageError(`${action} failed: this server or this role is read-only.${ending}`, details);
  if (code !== undefined || driverErrors.has(error))
    return new StorageError(`${action} failed: ${messageOf(error)}.${ending}`, details);
  return error;
}

/**
 * The message of an error, with PostgreSQL's detail and hint. If Node.js tried several addresses of a host, only the
 * contained errors have messages.
 */
export function messageOf(error: Failure & { errors?: Error[] }): string {
  const { message, errors, code, detail, hint } = error;
  const said = message === "" && errors !== undefined ? errors.map((each) => each.message).join("; ") : message;
  // The details of classes 22 and 23 show values of rows.
  const sentences = [said, /^2[23]/.test(String(code)) ? "" : detail, hint].filter(
    (text): text is string => typeof text === "string" && text !== "",
  );
  return redactSecrets(sentences.map((text) => text.replace(/\.\s*$/, "")).join(". "), []);
}

/** True if an action that failed may have been committed. */
export function mayBeCommitted(action: string, error: unknown): boolean {
  return !isReading(action) && error instanceof Error && driverErrors.get(error) === true && isConnectionLost(error);
}

/** State of the data after a failed action, as a sentence; empty after a failed read. */
export function unchangedText(action: string, error: unknown): string {
  if (isReading(action)) return "";
  const afterSteps = AFTER_STEPS[action];
  if (afterSteps !== undefined) return afterSteps;
  return mayBeCommitted(action, error)
    ? "The connection broke: the commit may have succeeded. Check before retrying."
    : "Nothing was written.";
}
