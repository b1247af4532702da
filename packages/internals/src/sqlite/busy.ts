import type { Database } from "./open_database.ts";

/** True for the result codes that mean "another connection holds it"; extended codes start with them. */
export function isBusy(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED"));
}

const clockwork = new Int32Array(new SharedArrayBuffer(4));

/** Sleeps without spinning; the driver is synchronous, so its waits are. */
function sleep(milliseconds: number): void {
  Atomics.wait(clockwork, 0, 0, milliseconds);
}

/**
 * Runs `task` again while another connection holds the database, up to `timeoutMs`. SQLite's own busy handler is not
 * asked everywhere: switching to WAL and recovering a log report "busy" at once. The pauses are random, so that
 * processes which collided once do not collide in step for ever.
 */
export function waitWhileBusy<Result>(timeoutMs: number, task: () => Result): Result {
  // From before the first try, which may itself wait in SQLite's own busy handler for all of that time.
  const end = performance.now() + timeoutMs;
  for (let limit = 2; ; limit = Math.min(limit * 2, 64)) {
    try {
      return task();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= end) throw error;
      sleep(1 + Math.random() * limit);
    }
  }
}

/** Runs `task` so that a lock of another connection is an error at once; afterwards SQLite waits `timeoutMs` again. */
export function withoutWaiting<Result>(database: Database, timeoutMs: number, task: () => Result): Result {
  return withPatience(database, 0, timeoutMs, task);
}

/** Runs `task` so that SQLite waits `patienceMs` for other connections; afterwards it waits `timeoutMs` again. */
export function withPatience<Result>(
  database: Database,
  patienceMs: number,
  timeoutMs: number,
  task: () => Result,
): Result {
  // This pragma takes effect when it is compiled, so it cannot be prepared beforehand; `exec` does it 14 times faster.
  database.exec(`PRAGMA busy_timeout = ${Math.min(patienceMs, timeoutMs)}`);
  try {
    return task();
  } finally {
    database.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
  }
}
