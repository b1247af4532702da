import { printable } from "../terminal/printable.ts";
import type { ErrorCode } from "./codes.ts";

/**
 * Marks perdura's errors across copies of the library. Both lines can be loaded in one process, so `instanceof` is not
 * reliable.
 */
const BRAND: unique symbol = Symbol.for("perdura.error");

/** Data of an error, in addition to its reason. */
export interface ErrorDetails {
  /** Name of the argument, option, field or environment variable that is wrong; the message begins with it. */
  argument?: string | undefined;
  /** The file, database or directory concerned. The message begins with it if no argument is wrong. */
  path?: string | undefined;
  /** Beginning of the message, if it is neither the argument nor the path. */
  subject?: string | undefined;
  /** True if data may have been changed although the call failed. */
  mayBeWritten?: boolean | undefined;
  /** The error that caused this one. */
  cause?: unknown;
}

/**
 * Base class of every error that perdura throws on purpose. Test with {@link isPerduraError}, not with `instanceof`.
 */
export class PerduraError extends Error {
  /** Kind of the error. */
  readonly code: ErrorCode;
  /** Name of the argument, option, field or environment variable that is wrong, if there is one. */
  readonly argument: string | undefined;
  /** The message without its beginning, which names the argument, the file or the place. */
  readonly reason: string;
  /** The file, database or directory concerned, if there is one. */
  readonly path: string | undefined;
  /** True if data may have been written, replaced or removed although the call failed. Check before you retry. */
  readonly mayBeWritten: boolean;

  constructor(name: string, code: ErrorCode, reason: string, details: ErrorDetails = {}) {
    const { argument, path, subject = argument ?? path, cause } = details;
    const { mayBeWritten = isPerduraError(cause) && cause.mayBeWritten } = details;
    // Paths and values may be foreign data, and messages may be printed on terminals.
    super(
      printable(subject === undefined ? reason : `${subject}: ${reason}`),
      cause === undefined ? undefined : { cause },
    );
    this.name = name;
    this.code = code;
    this.argument = argument;
    this.reason = printable(reason);
    this.path = path;
    this.mayBeWritten = mayBeWritten;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** The path has no saved data (specification, section 7). */
export class FileNotFoundError extends PerduraError {
  constructor(reason: string, details?: ErrorDetails) {
    super("FileNotFoundError", "PERDURA_FILE_NOT_FOUND", reason, details);
  }
}

/** The text is not JSON (specification, section 7). */
export class JSONDecodeError extends PerduraError {
  /** Line of the first offending character, from 1. */
  readonly line: number;
  /** Column of the first offending character in UTF-16 code units, from 1. */
  readonly column: number;

  constructor(reason: string, position: { line: number; column: number }, details: ErrorDetails = {}) {
    const place = `${position.line}:${position.column}`;
    const subject = details.path === undefined ? place : `${details.path}:${place}`;
    super("JSONDecodeError", "PERDURA_JSON_DECODE", reason, { subject, ...details });
    this.line = position.line;
    this.column = position.column;
  }
}

/** An argument or a document is not valid. Nothing was written. */
export class ValidationError extends PerduraError {
  /** JSON Pointer of the invalid value, if a document is concerned. */
  readonly pointer: string | undefined;

  constructor(reason: string, details: ErrorDetails & { pointer?: string | undefined } = {}) {
    super("ValidationError", "PERDURA_VALIDATION", reason, details);
    this.pointer = details.pointer;
  }
}

/** Stored data is damaged or has unexpected content. It was not changed. */
export class CorruptDataError extends PerduraError {
  constructor(reason: string, details?: ErrorDetails) {
    super("CorruptDataError", "PERDURA_CORRUPT_DATA", reason, details);
  }
}

/** The data is in a format of another line or of a newer version. */
export class UnsupportedFormatError extends PerduraError {
  constructor(reason: string, details?: ErrorDetails) {
    super("UnsupportedFormatError", "PERDURA_UNSUPPORTED_FORMAT", reason, details);
  }
}

/** Another process held a lock on the database for longer than the busy time-out. Nothing was written. */
export class BusyError extends PerduraError {
  constructor(reason: string, details?: ErrorDetails) {
    super("BusyError", "PERDURA_BUSY", reason, details);
  }
}

/**
 * The operating system or SQLite refused an operation: missing permission, full disk, I/O error. `cause` is the
 * original error.
 */
export class StorageError extends PerduraError {
  constructor(reason: string, details?: ErrorDetails) {
    super("StorageError", "PERDURA_STORAGE", reason, details);
  }
}

/** The collector, the writer or the store was closed before the call. Nothing was written. */
export class ClosedError extends PerduraError {
  constructor(reason: string, details?: ErrorDetails) {
    super("ClosedError", "PERDURA_CLOSED", reason, details);
  }
}

/** An optional package that this feature needs is not installed. */
export class MissingPackageError extends PerduraError {
  constructor(reason: string, details?: ErrorDetails) {
    super("MissingPackageError", "PERDURA_MISSING_PACKAGE", reason, details);
  }
}

/** This Node.js is older than the minimum. */
export class UnsupportedRuntimeError extends PerduraError {
  constructor(reason: string, details?: ErrorDetails) {
    super("UnsupportedRuntimeError", "PERDURA_UNSUPPORTED_RUNTIME", reason, details);
  }
}

/** The members of a value that {@link isPerduraError} recognises. */
export interface PerduraErrorShape extends Error {
  /** Kind of the error. */
  readonly code: ErrorCode;
  /** Name of the argument, option, field or environment variable that is wrong, if there is one. */
  readonly argument: string | undefined;
  /** The message without its beginning, which names the argument, the file or the place. */
  readonly reason: string;
  /** The file, database or directory concerned, if there is one. */
  readonly path: string | undefined;
  /** True if data may have been written, replaced or removed although the call failed. Check before you retry. */
  readonly mayBeWritten: boolean;
}

/**
 * Returns true for an error of perdura, whichever copy of the library threw it.
 *
 * @param error Any caught value.
 * @param code Accept only this code.
 * @example
 * ```ts
 * try {
 *   PatternPersistence.loadFromJson("missing.json");
 * } catch (error) {
 *   if (!isPerduraError(error, "PERDURA_FILE_NOT_FOUND")) throw error;
 * }
 * ```
 */
export function isPerduraError(error: unknown, code?: ErrorCode): error is PerduraErrorShape {
  if (typeof error !== "object" || error === null || !(BRAND in error)) return false;
  return code === undefined || (error as unknown as PerduraErrorShape).code === code;
}
