import { isOfCaller } from "../errors/callers_code.ts";
import type { Database } from "./open_database.ts";

/** True for the result codes that mean "another connection holds it"; extended codes start with them. */
export function isBusy(error: unknown): boolean {
  if (isOfCaller(error)) return false;
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED"));
}

const clockwork = new Int32Array(new SharedArrayBuffer(4));

/** Sleeps without spinning; the driver is synchronous, so its waits are. */
function sleep(milliseconds: number): void {
  Atomics.wait(clockwork, 0, 0, milliseconds);
}

/**
 * Longest single wait within SQLite while {@link waitWhileBusy} retries, in milliseconds. SQLite's own pauses grow to a tenth
 * of a second: next to programs that write without a pause, such a rare attempt may find the lock taken for half a minute.
 */
const STRETCH_MS = 10;

/** Waiting times of a connection for others, in milliseconds. */
export interface Waits {
  /** Altogether. */
  readonly timeoutMs: number;
  /** SQLite itself, at a stretch. */
  readonly stretchMs: number;
}

/**
 * Runs `task` again while another connection holds the database, up to `timeoutMs`. SQLite's own busy handler is not
 * asked everywhere: switching to WAL and recovering a log report "busy" at once. The pauses are random, so that
 * processes which collided once do not keep colliding.
 */
export function waitWhileBusy<Result>(timeoutMs: number, task: () => Result): Result {
  // From before the first try, which may itself wait in SQLite's own busy handler for all of that time.
  const end = performance.now() + timeoutMs;
  for (let limit = 2; ; limit = Math.min(limit * 2, 32)) {
    try {
      return task();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= end) throw error;
      sleep(1 + Math.random() * limit);
    }
  }
}

/**
 * Lets SQLite itself wait for a stretch only, all else being left to {@link waitWhileBusy}; returns how it waits from now on.
 * Not with a rollback journal: there a process that waits to commit blocks new readers until it gives up.
 */
export function waitInStretches(database: Database, timeoutMs: number): Waits {
  if (database.pragma("journal_mode", { simple: true }) !== "wal") return { timeoutMs, stretchMs: timeoutMs };
  const stretchMs = Math.min(STRETCH_MS, timeoutMs);
  database.exec(`PRAGMA busy_timeout = ${stretchMs}`);
  return { timeoutMs, stretchMs };
}

/** Runs `task` so that SQLite itself waits for a short stretch at most; afterwards it waits as before. */
export function inStretches<Result>(database: Database, waits: Waits, task: () => Result): Result {
  return waits.stretchMs <= STRETCH_MS ? task() : withPatience(database, STRETCH_MS, waits, task);
}

/** Runs `task` so that a lock of another connection is an error at once; afterwards SQLite waits as before. */
export function withoutWaiting<Result>(database: Database, waits: Waits, task: () => Result): Result {
  return withPatience(database, 0, waits, task);
}

/** Runs `task` so that SQLite waits `patienceMs` for other connections, or the time-out if that is less; afterwards as before. */
export function withPatience<Result>(
  database: Database,
  patienceMs: number,
  { timeoutMs, stretchMs }: Waits,
  task: () => Result,
): Result {
  // This pragma takes effect when it is compiled, so it cannot be prepared beforehand; `exec` does it 14 times faster.
  database.exec(`PRAGMA busy_timeout = ${Math.min(patienceMs, timeoutMs)}`);
  try {
    return task();
  } finally {
    database.exec(`PRAGMA busy_timeout = ${stretchMs}`);
  }
}
