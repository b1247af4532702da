import { isCallerError } from "../errors/caller_errors.ts";
import { sleep } from "../runtime/sleep.ts";
import type { Database } from "./open_database.ts";
import { monotonicMs } from "../runtime/monotonic.ts";

/** True for result codes that report a lock of another connection. Extended codes begin with these codes. */
export function isBusy(error: unknown): boolean {
  if (isCallerError(error)) return false;
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED"));
}

/**
 * Longest single wait within SQLite while {@link waitWhileBusy} retries, in milliseconds. SQLite's own pauses grow to a
 * tenth of a second. With so few attempts, next to programs that write without a pause, a writer may wait half a minute
 * for the lock.
 */
const SLICE_MS = 10;

/**
 * Longest pause of {@link waitWhileBusy} between two looks at the database, in milliseconds. Work in steps leaves the
 * database free for as long, so that a waiting writer gets it.
 */
export const LONGEST_PAUSE_MS = 9;

/** Waiting times of a connection for other connections, in milliseconds. */
export interface Waits {
  /** Maximum wait of a call. */
  readonly timeoutMs: number;
  /** Maximum single wait within SQLite. */
  readonly sliceMs: number;
}

/**
 * Runs `task`, and again while another connection holds a lock, for up to `timeoutMs`. SQLite does not always call its
 * own busy handler: switching to WAL and recovering a log fail with "busy" at once. The pauses are random, so that
 * processes which collided once do not keep colliding.
 */
export function waitWhileBusy<Result>(timeoutMs: number, task: () => Result): Result {
  // Measured before the first attempt, which may itself wait that long in SQLite's busy handler.
  const end = monotonicMs() + timeoutMs;
  for (let limit = 2; ; limit = Math.min(limit * 2, LONGEST_PAUSE_MS - 1)) {
    try {
      return task();
    } catch (error) {
      if (!isBusy(error) || monotonicMs() >= end) throw error;
      sleep(1 + Math.random() * limit);
    }
  }
}

/**
 * Limits single waits within SQLite, so that {@link waitWhileBusy} retries more often; returns the resulting waits. Not
 * with a rollback journal: there, a process that waits to commit blocks new readers until it gives up.
 */
export function waitInSlices(database: Database, timeoutMs: number): Waits {
  if (database.pragma("journal_mode", { simple: true }) !== "wal") return { timeoutMs, sliceMs: timeoutMs };
  const sliceMs = Math.min(SLICE_MS, timeoutMs);
  database.exec(`PRAGMA busy_timeout = ${sliceMs}`);
  return { timeoutMs, sliceMs };
}

/** Runs `task` with short single waits within SQLite; restores the wait afterwards. */
export function withSlicedWaits<Result>(database: Database, waits: Waits, task: () => Result): Result {
  return waits.sliceMs <= SLICE_MS ? task() : withBusyTimeout(database, SLICE_MS, waits, task);
}

/** Runs `task` so that a lock of another connection fails at once; restores the wait afterwards. */
export function withoutWaiting<Result>(database: Database, waits: Waits, task: () => Result): Result {
  return withBusyTimeout(database, 0, waits, task);
}

/**
 * Runs `task` so that SQLite waits `patienceMs` for other connections, or the time-out if that is less; restores the
 * wait afterwards.
 */
export function withBusyTimeout<Result>(
  database: Database,
  patienceMs: number,
  { timeoutMs, sliceMs }: Waits,
  task: () => Result,
): Result {
  // This pragma takes effect when it is compiled, so it cannot be prepared in advance. `exec` is 14 times faster than
  // `pragma`.
  database.exec(`PRAGMA busy_timeout = ${Math.min(patienceMs, timeoutMs)}`);
  try {
    return task();
  } finally {
    database.exec(`PRAGMA busy_timeout = ${sliceMs}`);
  }
}
