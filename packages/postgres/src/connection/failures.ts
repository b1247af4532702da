import { isOfCaller } from "@perdura/internals/errors/callers_code.js";
import { BusyError, CorruptDataError, PerduraError, StorageError } from "@perdura/internals/errors/errors.js";

/** What PostgreSQL or the network said, with PostgreSQL's code of five characters where it was that. */
interface Failure extends Error {
  code?: unknown;
  /** Only PostgreSQL's own errors have one. */
  severity?: unknown;
}

/** Waited too long for a lock, or for the statement as a whole. */
const BUSY = new Set(["55P03", "57014"]);

/** The transaction was undone because of another one, and may succeed when it is done again. */
const UNDONE = new Set(["40001", "40P01"]);

/** A table or column that should be there is not, or is of another kind. */
const STRANGE_TABLES = new Set(["42P01", "42703", "42804", "42883", "3F000"]);

export function isUndone(error: unknown): boolean {
  return UNDONE.has(codeOf(error) ?? "");
}

/** Others held a lock for too long. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === "55P03";
}

/** No privilege, a server that only reads, or a full disk. */
export function isUnwritable(error: unknown): boolean {
  const code = codeOf(error instanceof PerduraError ? error.cause : error);
  return ["42501", "25006", "53100"].includes(code ?? "");
}

/** PostgreSQL's code of an error, or the operating system's; none of what the caller's own code threw. */
export function codeOf(error: unknown): string | undefined {
  if (isOfCaller(error)) return undefined;
  const { code } = (error ?? {}) as Failure;
  return typeof code === "string" ? code : undefined;
}

/**
 * What PostgreSQL, the driver or the network threw, as an error of perdura that names the place. Errors of perdura and of
 * the caller's own code pass unchanged.
 *
 * @param action What was tried, for example `recording`.
 * @param fate What became of the data.
 */
export function failureOf(error: unknown, place: string, action: string, fate: string): unknown {
  if (!(error instanceof Error) || error instanceof PerduraError || isOfCaller(error)) return error;
  const code = codeOf(error);
  const details = { path: place, cause: error };
  if (BUSY.has(code ?? "") || UNDONE.has(code ?? ""))
    return new BusyError(`${place}: ${action}: others held a lock for longer than the busy time-out. ${fate}`, details);
  if (STRANGE_TABLES.has(code ?? ""))
    return new CorruptDataError(
      `${place}: ${action}: the tables are not as expected: ${error.message}. ${fate}`,
      details,
    );
  if (code !== undefined || isDriverError(error))
    return new StorageError(`${place}: ${action} failed: ${messageOf(error)}. ${fate}`, details);
  return error;
}

/** Errors of the driver itself have no code: they are known by what they say. */
function isDriverError(error: Error): boolean {
  return /^(?:Connection terminated|Client was closed|Client has encountered|timeout (?:exceeded|expired)|Query read timeout|The server does not support SSL|SASL|SCRAM|Cannot use a pool)/i.test(
    error.message,
  );
}

/** Node.js tries several addresses of a host and then has no message of its own. */
function messageOf(error: Error): string {
  const { message, errors } = error as Error & { errors?: Error[] };
  return message === "" && errors !== undefined ? errors.map((each) => each.message).join("; ") : message;
}

/** What became of the data when an action failed. */
export function fateOf(action: string, error: unknown): string {
  if (action === "reading" || action === "loading") return "What is stored is as it was.";
  return lostConnection(error)
    ? "Whether anything was written is not known: the connection broke."
    : "Nothing was written.";
}

/** True where the connection broke, so that nobody knows whether a commit that was under way was done. */
function lostConnection(error: unknown): boolean {
  const code = codeOf(error);
  // Nothing can have been sent before there was a connection.
  if ((error as NodeJS.ErrnoException).syscall === "connect" || /trying to connect/.test(String(error))) return false;
  if (code === undefined) return error instanceof Error && isDriverError(error);
  // An operator or a crash ended the server process; or the network did.
  return /^(?:57P0[1-5]|08(?!P01)...)$/.test(code) || /^E[A-Z]+$/.test(code);
}
