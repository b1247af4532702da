import type { JsonValue } from "../values/json_value.ts";

/** One behaviour, as `cases/<area>/<name>.json` describes it; `schemas/case.schema.json` is the authority. */
export interface Case {
  /** `<area>/<name>`, the same as the file's place. */
  id: string;
  /** What is right, in one sentence. */
  title: string;
  /** Ids of the requirements that this case checks; they give it its level and its versions. */
  requirements: string[];
  /** A narrower range than the requirements' own. */
  versions?: string;
  /** Rulings that the steps rest on without looking at them: where one is not declared, the case does not apply. */
  assumes?: string[];
  /** Capability groups that the steps need beyond those of their operations. */
  capabilities?: string[];
  /** The checks hold for SQLite files only, and not for tables that were dumped. */
  database_files?: true;
  /** Values that `$data` can name. */
  data?: Record<string, JsonValue>;
  steps: Step[];
}

/** One step of a case. `versions` leaves the step out where the specification version does not match. */
export type Step = (CallStep | InspectStep | PutStep | WriteStep | SettleStep) & { versions?: string };

/** Asks the implementation to do something and says what must come back. */
export interface CallStep {
  call: string;
  args?: Record<string, JsonValue>;
  /** The kept object that the operation works on. */
  handle?: string;
  /** Keeps the object that comes out under this name, until the next settling. */
  keep?: string;
  /** Saves the value that comes back for `$var`. */
  bind?: string;
  /** Without it the call must simply succeed. */
  expect?: Expectation | { answers: Record<string, Expectation> };
  /** The open question that `answers` belong to; without it the case's only `U-` id. */
  question?: string;
}

/**
 * What a call must answer: a value, an error of a kind, a value of which parts are checked, or anything at all, where a
 * later step looks at what became of it.
 */
export type Expectation = { ok: JsonValue } | { error: JsonValue } | { checks: Check[] } | { any: true };

/** A part of a document that must match, or must not be there. */
export interface Check {
  id: string;
  at: string;
  is?: JsonValue;
  absent?: true;
}

/** What an inspection wants, or what it looks like for each answer to an open question. */
type Wanted<W> = W | { answers: Record<string, W>; question?: string };

/** The suite opens a file that the implementation wrote. The implementation is settled first. */
export type InspectStep =
  | ({ inspect: "json" | "jsonl" | "csv"; file: string } & Wanted<{ checks: Check[] }>)
  | ({ inspect: "sqlite"; file: string } & Wanted<{ checks: SqliteCheck[] }>)
  | ({ inspect: "text"; file: string } & Wanted<{ is: JsonValue }>)
  | ({ inspect: "files"; under?: string } & Wanted<{ is: JsonValue }>)
  | { inspect: "library" | "state" | "patterns-database" | "metrics-database"; file: string };

/** One look into a copy of a database. */
export type SqliteCheck = { id: string } & (
  | { rows: string; is: JsonValue }
  | { columns: string; has?: string[]; lacks?: string[]; is?: JsonValue }
  | { tables: true; has?: string[]; is?: JsonValue }
  | { indexes: string; at: string; is: JsonValue }
  | { foreign_keys: string; is: JsonValue }
  | { scratch: ScratchStatement[] }
);

/** A statement tried on the copy and rolled back: constraints are judged by what they do. */
export type ScratchStatement = { run: string; outcome: "accepted" | "refused" } | { rows: string; is: JsonValue };

/** Hands over a file that the implementation did not write. */
export interface PutStep {
  put: string;
  /** Written as it stands, in UTF-8. */
  text?: string;
  /** `\n` in `text` is written as `\r\n`. */
  newline?: "crlf";
  /** A file below this suite's `files/`; the write-ahead log beside a database comes along. */
  file?: string;
  /** Raw bytes. */
  base64?: string;
  /** A database made by these statements. */
  sqlite?: { statements: string[]; page_size?: number; leave_wal?: boolean };
}

/** Another program changes a database in between. The implementation is settled first, and must hold no lock. */
export interface WriteStep {
  write: string;
  statements: string[];
}

/** Releases every handle and lock, so that the next step works on what is on the disk. */
interface SettleStep {
  settle: true;
}

/** The part of the id before the slash. */
export function areaOf(id: string): string {
  return id.slice(0, id.indexOf("/"));
}
