/** Exit codes of all programs. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  decision: 3,
  difference: 4,
  busy: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Exit codes of errors of the libraries, by their codes: wrong usage, and databases that another process holds. */
const CODES_OF_ERRORS: Readonly<Record<string, ExitCode>> = {
  PERDURA_VALIDATION: EXIT.usage,
  PERDURA_FILE_NOT_FOUND: EXIT.usage,
  PERDURA_UNSUPPORTED_RUNTIME: EXIT.usage,
  PERDURA_BUSY: EXIT.busy,
};

/** The exit code of a program that an error of the libraries ended. */
export function exitCodeOfError({ code }: { code: string }): ExitCode {
  return CODES_OF_ERRORS[code] ?? EXIT.failed;
}

/** Default meanings of the exit codes. */
const MEANINGS: Record<ExitCode, string> = {
  0: "done, or nothing to do",
  1: "failed, or the output could not be written (stderr then says what was done)",
  2: "usage error, or a named file does not exist",
  3: "a decision is needed first; nothing was changed",
  4: "a difference was found",
  5: "in use by another process",
  130: "interrupted",
};

/**
 * Exit codes with their meanings, in order; `own` replaces a meaning, or removes with null a code that is never used.
 */
export function exitCodeRows(own: Partial<Record<ExitCode, string | null>> = {}): [code: ExitCode, meaning: string][] {
  return Object.values(EXIT).flatMap((code) => {
    const meaning = own[code] === undefined ? MEANINGS[code] : own[code];
    return meaning === null ? [] : [[code, meaning] as [ExitCode, string]];
  });
}
