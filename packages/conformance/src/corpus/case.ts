import type { JsonValue } from "../values/json_value.ts";

/** One behaviour, described by `cases/<area>/<name>.json`; `schemas/case.schema.json` is the authority. */
export interface Case {
  /** `<area>/<name>`, equal to the path of the file. */
  id: string;
  /** The correct behaviour, in one sentence. */
  title: string;
  /** Ids of the requirements that this case checks; they determine its level and its versions. */
  requirements: string[];
  /** Range of versions, narrower than that of the requirements. */
  versions?: string;
  /** Rulings that the steps rely on without checking them. The case is inapplicable if one of them is not declared. */
  assumes?: string[];
  /** Capability groups that the steps need beyond those of their operations. */
  capabilities?: string[];
  /** True if the checks hold for SQLite files only, not for dumped tables. */
  database_files?: true;
  /** Values that `$data` can name. */
  data?: Record<string, JsonValue>;
  steps: Step[];
}

/** One step of a case. A step with `versions` is skipped for specification versions outside that range. */
export type Step = (
  | CallStep
  | InspectStep
  | PutStep
  | RemoveStep
  | WriteStep
  | AgeStep
  | NextSecondStep
  | SettleStep
  | KillStep
  | GenerateStep
) & {
  versions?: string;
};

/** Calls an operation of the implementation and states the expected answer. */
export interface CallStep {
  call: string;
  /** Number of calls; `{n}` in the texts of the step is the number of the call, from 1. */
  times?: number;
  args?: Record<string, JsonValue>;
  /** The kept object that the operation works on. */
  handle?: string;
  /** Keeps the returned object under this name, until the next settling. */
  keep?: string;
  /** Saves the returned value for `$var`. */
  bind?: string;
  /** A database of the case that another program writes to when the call begins, for a moment. */
  locked?: string;
  /** The other program of `locked` writes until the call is answered, for six seconds at most. */
  until?: "answered";
  /** An error is legal here, and ends the case: the later steps hold only for an answer. */
  may_fail?: true;
  /** Without it, the call only has to succeed. */
  expect?: Expectation | { answers: Record<string, Expectation> };
  /** The open question of `answers`; by default the only `U-` id of the case. */
  question?: string;
}

/**
 * Expected answer of a call: a value, an error of a kind, a value of which parts are checked, or anything, if a later
 * step checks the effect.
 */
export type Expectation = { ok: JsonValue } | { error: JsonValue } | { checks: Check[] } | { any: true };

/** A part of a document that must match, or must be absent. */
export interface Check {
  id: string;
  at: string;
  is?: JsonValue;
  absent?: true;
}

/** Expectation of an inspection, or one expectation for each answer to an open question. */
type Wanted<W> = W | { answers: Record<string, W>; question?: string };

/** Opens a file that the implementation wrote. The implementation is settled first. */
export type InspectStep =
  | ({ inspect: "json" | "jsonl" | "csv"; file: string } & Wanted<{ checks: Check[] }>)
  | ({ inspect: "sqlite"; file: string } & Wanted<{ checks: SqliteCheck[] }>)
  | ({ inspect: "text" | "mode"; file: string } & Wanted<{ is: JsonValue }>)
  | ({ inspect: "files"; under?: string } & Wanted<{ is: JsonValue }>)
  | { inspect: "library" | "state" | "patterns-database" | "metrics-database"; file: string };

/** One query on a copy of a database, or (`meets`) a requirement that `check-file` judges. */
export type SqliteCheck = { id: string } & (
  | { rows: string; is: JsonValue }
  | { columns: string; has?: string[]; lacks?: string[]; is?: JsonValue }
  | { tables: true; has?: string[]; is?: JsonValue }
  | { indexes: string; at: string; is: JsonValue }
  | { foreign_keys: string; is: JsonValue }
  | { scratch: ScratchStatement[] }
  | { meets: string }
);

/** A statement that is run on the copy and rolled back: constraints are judged by their effect. */
export type ScratchStatement = { run: string; outcome: "accepted" | "refused" } | { rows: string; is: JsonValue };

/** Provides a file that the implementation did not write. */
export interface PutStep {
  put: string;
  /** Content of the file, written unchanged in UTF-8. */
  text?: string;
  /** `\n` in `text` is written as `\r\n`. */
  newline?: "crlf";
  /** A file below this suite's `files/`; the write-ahead log of a database is copied, too. */
  file?: string;
  /** Raw bytes. */
  base64?: string;
  /** A database made by these statements. */
  sqlite?: { statements: string[]; page_size?: number; leave_wal?: boolean };
  /** An existing file of the case, which gets a second name (a hard link). */
  link?: string;
  /** A file of the case to which a symbolic link is made. */
  symlink?: string;
  /** Permissions of a file made from `text`, in octal digits; the operating system must be like POSIX. */
  mode?: string;
  /**
   * The database takes the place of another one, of which the implementation keeps its objects open; if the system does
   * not allow this, the case ends.
   */
  open?: true;
}

/**
 * Removes a database with its journals, or its log alone, of which the implementation keeps its objects open; if the
 * system does not allow this, the case ends.
 */
export interface RemoveStep {
  remove: string;
}

/**
 * Changes a database between two calls, as another program. The implementation is settled first and must hold no lock.
 */
export interface WriteStep {
  write: string;
  statements: string[];
  /** The implementation keeps its objects open; if it has locked the database, the case ends. */
  open?: true;
}

/** Sets the times of a file, or of all files below a directory, to a moment in the past. */
export interface AgeStep {
  age: string;
  days: number;
}

/** Waits until the clock shows another second, while objects stay open: a time that is asked for only once is found out. */
interface NextSecondStep {
  next_second: true;
}

/** Releases every handle and lock, so that the next step works on the content of the disk. */
interface SettleStep {
  settle: true;
}

/**
 * Ends the implementation without a warning, after it answered a call: what it has not written yet is lost. The next step
 * that needs it starts it again.
 */
interface KillStep {
  kill: true;
}

/**
 * Stands for sequences of operations that are made from a seed, each run like a case of its own. It is the only step of
 * its case.
 */
export interface GenerateStep {
  generate: "metrics" | "json-libraries" | "sqlite-libraries" | "both-libraries" | "states";
}

/**
 * Records an interaction with the operation of the line: `record_metric` with `empathy_level` before 16, else
 * `record_interaction` with `level`. Only files have it; it is loaded as a call for each line.
 */
export type RecordStep = Omit<CallStep, "call" | "args"> & {
  record: { user_id: JsonValue; level: JsonValue; success: JsonValue; response_time_ms: JsonValue };
};

/** The calls of both lines for a step that records; any other step itself. */
export function forBothLines(step: Step | RecordStep): Step[] {
  if (!("record" in step)) return [step];
  const {
    record: { user_id, level, ...values },
    ...more
  } = step;
  return [
    { versions: "<16.0.0-0", call: "record_metric", ...more, args: { user_id, empathy_level: level, ...values } },
    { versions: ">=16.0.0-0", call: "record_interaction", ...more, args: { user_id, level, ...values } },
  ];
}

/** Part of the id before the slash. */
export function areaOf(id: string): string {
  return id.slice(0, id.indexOf("/"));
}
