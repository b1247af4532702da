import { printable } from "../text/describe.ts";
import type { ErrorCode } from "./codes.ts";

/** Marks perdura's errors across copies of the library: both lines can be loaded at once, so `instanceof` would lie. */
const BRAND: unique symbol = Symbol.for("perdura.error");

/** What an error carries beside its message. */
export interface ErrorDetails {
  /** The file, database or directory concerned. */
  path?: string | undefined;
  /** The error that caused this one. */
  cause?: unknown;
}

/** The base of every error that perdura throws on purpose. Test with {@link isPerduraError}, not with `instanceof`. */
export class PerduraError extends Error {
  /** What kind of error it is. */
  readonly code: ErrorCode;
  /** The file, database or directory concerned, where there is one. */
  readonly path: string | undefined;

  constructor(name: string, code: ErrorCode, message: string, details: ErrorDetails = {}) {
    // Paths and values come from others, and messages end up on terminals.
    super(printable(message), details.cause === undefined ? undefined : { cause: details.cause });
    this.name = name;
    this.code = code;
    this.path = details.path;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Nothing is saved under that path (specification, section 7). */
export class FileNotFoundError extends PerduraError {
  constructor(message: string, details?: ErrorDetails) {
    super("FileNotFoundError", "PERDURA_FILE_NOT_FOUND", message, details);
  }
}

/** The text is not JSON (specification, section 7). */
export class JSONDecodeError extends PerduraError {
  /** Line of the first offending character, from 1. */
  readonly line: number;
  /** Column of the first offending character in UTF-16 code units, from 1. */
  readonly column: number;

  constructor(message: string, position: { line: number; column: number }, details?: ErrorDetails) {
    super("JSONDecodeError", "PERDURA_JSON_DECODE", message, details);
    this.line = position.line;
    this.column = position.column;
  }
}

/** An argument or a document breaks a rule; nothing was written. */
export class ValidationError extends PerduraError {
  /** JSON Pointer of the offending place, where a document is concerned. */
  readonly pointer: string | undefined;

  constructor(message: string, details: ErrorDetails & { pointer?: string | undefined } = {}) {
    super("ValidationError", "PERDURA_VALIDATION", message, details);
    this.pointer = details.pointer;
  }
}

/** Stored data is damaged, or is something else than it should be; it was left as it is. */
export class CorruptDataError extends PerduraError {
  constructor(message: string, details?: ErrorDetails) {
    super("CorruptDataError", "PERDURA_CORRUPT_DATA", message, details);
  }
}

/** The data is in a format of another line or of a newer version. */
export class UnsupportedFormatError extends PerduraError {
  constructor(message: string, details?: ErrorDetails) {
    super("UnsupportedFormatError", "PERDURA_UNSUPPORTED_FORMAT", message, details);
  }
}

/** Another process held the database for longer than the busy time-out; nothing was written. */
export class BusyError extends PerduraError {
  constructor(message: string, details?: ErrorDetails) {
    super("BusyError", "PERDURA_BUSY", message, details);
  }
}

/** The operating system or SQLite refused: no permission, a full disk, an I/O error. `cause` is what it said. */
export class StorageError extends PerduraError {
  constructor(message: string, details?: ErrorDetails) {
    super("StorageError", "PERDURA_STORAGE", message, details);
  }
}

/** A package that only this feature needs is not installed. */
export class MissingPackageError extends PerduraError {
  constructor(message: string, details?: ErrorDetails) {
    super("MissingPackageError", "PERDURA_MISSING_PACKAGE", message, details);
  }
}

/** This Node.js is older than the minimum. */
export class UnsupportedRuntimeError extends PerduraError {
  constructor(message: string, details?: ErrorDetails) {
    super("UnsupportedRuntimeError", "PERDURA_UNSUPPORTED_RUNTIME", message, details);
  }
}

/** The shape that {@link isPerduraError} vouches for. */
export interface PerduraErrorShape extends Error {
  /** What kind of error it is. */
  readonly code: ErrorCode;
  /** The file, database or directory concerned, where there is one. */
  readonly path: string | undefined;
}

/**
 * Tells whether a caught value is one of perdura's errors, whichever copy of the library threw it.
 *
 * @param error Any caught value.
 * @param code Narrow to one code.
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
