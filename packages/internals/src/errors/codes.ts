/** Every error code of perdura with its meaning. `pnpm generate` writes the rows of `docs/errors.md`. */
export const ERROR_CODES = {
  PERDURA_FILE_NOT_FOUND: {
    name: "FileNotFoundError",
    meaning: "The file or database to load does not exist. Programs treat this as “nothing saved yet”.",
  },
  PERDURA_JSON_DECODE: {
    name: "JSONDecodeError",
    meaning: "The file is not JSON text; `line` and `column` give the place.",
  },
  PERDURA_VALIDATION: {
    name: "ValidationError",
    meaning: "An argument or a document breaks a rule; the message names it. Nothing was written.",
  },
  PERDURA_CORRUPT_DATA: {
    name: "CorruptDataError",
    meaning: "A stored file or database is damaged or has other content. No stored data was changed.",
  },
  PERDURA_UNSUPPORTED_FORMAT: {
    name: "UnsupportedFormatError",
    meaning:
      "The data was written in a format that this line does not read: another major line, a newer version, or columns of other types.",
  },
  PERDURA_BUSY: {
    name: "BusyError",
    meaning: "Another process held the database for longer than the busy time-out. Nothing was written; try again.",
  },
  PERDURA_STORAGE: {
    name: "StorageError",
    meaning:
      "The operating system or SQLite refused (no permission, full disk, I/O error); `cause` is its error. No stored data was changed, unless `mayBeWritten` is true.",
  },
  PERDURA_CLOSED: {
    name: "ClosedError",
    meaning: "The collector, the writer or the store was closed before the call. Nothing was written.",
  },
  PERDURA_MISSING_PACKAGE: {
    name: "MissingPackageError",
    meaning: "A package that only this feature needs is not installed; the message has the command that installs it.",
  },
  PERDURA_UNSUPPORTED_RUNTIME: {
    name: "UnsupportedRuntimeError",
    meaning: "This Node.js is older than the minimum.",
  },
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;
