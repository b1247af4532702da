import { isCallerError } from "../errors/caller_errors.ts";
import { isPerduraError } from "../errors/errors.ts";
import { isUncertain } from "../files/storage_errors.ts";
import type { CheckedInteraction } from "./checked_interaction.ts";
import { monotonicMs } from "../runtime/monotonic.ts";

/** Operations of the log that a queue needs. */
interface Log {
  appendTogether(interactions: readonly CheckedInteraction[], mayWait: boolean): number[];
}

/** A row that is not stored yet. */
interface Waiting {
  interaction: CheckedInteraction;
  since: number;
  resolve: (id: number) => void;
  reject: (error: unknown) => void;
}

/**
 * Queue of rows that are committed together: all rows queued in one turn of the event loop are one transaction, so that
 * many concurrent callers share the cost of one sync. While another process writes, the queue retries later without
 * blocking the event loop.
 */
export class WriteQueue {
  readonly #log: Log;
  readonly #timeoutMs: number;
  #waiting: Waiting[] = [];
  #cancel: (() => void) | undefined;
  #attempts = 0;
  #whenEmpty: (() => void)[] = [];

  /** @param timeoutMs Longest wait of a row for other processes that write, in milliseconds. */
  constructor(log: Log, timeoutMs: number) {
    this.#log = log;
    this.#timeoutMs = timeoutMs;
  }

  /** Resolves with the row's id when the row is durable. Rows are stored in the order in which they were added. */
  add(interaction: CheckedInteraction): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ interaction, since: monotonicMs(), resolve, reject });
      // Runs after everything that is ready now, including promises.
      if (this.#cancel === undefined) this.#schedule(setImmediate, clearImmediate);
    });
  }

  /** Resolves when every added row is stored or refused. */
  whenEmpty(): Promise<void> {
    return this.#waiting.length === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenEmpty.push(resolve));
  }

  /** Stores the remaining rows now, and waits for other writers like a synchronous call. */
  drain(): void {
    this.#cancel?.();
    if (this.#waiting.length > 0) this.#write(true);
  }

  #schedule<Handle>(later: (task: () => void) => Handle, cancel: (handle: Handle) => void): void {
    const handle = later(() => this.#write(false));
    this.#cancel = () => cancel(handle);
  }

  #write(mayWait: boolean): void {
    const rows = this.#waiting;
    this.#waiting = [];
    this.#cancel = undefined;
    try {
      this.#store(rows, mayWait);
      this.#attempts = 0;
    } catch (error) {
      if (isPerduraError(error, "PERDURA_BUSY") && !isCallerError(error) && !mayWait) this.#tryLater(rows, error);
      // The rows may have been stored: a retry could store them twice.
      else if (rows.length === 1 || isUncertain(error)) for (const row of rows) row.reject(error);
      else this.#storeEach(rows);
    }
    if (this.#waiting.length === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  #store(rows: readonly Waiting[], mayWait: boolean): void {
    const ids = this.#log.appendTogether(
      rows.map(({ interaction }) => interaction),
      mayWait,
    );
    rows.forEach(({ resolve }, index) => resolve(ids[index] as number));
  }

  /** Stores the rows one by one, because one invalid row must not prevent the others from being stored. */
  #storeEach(rows: readonly Waiting[]): void {
    let fault: unknown;
    for (const row of rows) {
      try {
        if (fault === undefined) this.#store([row], true);
        else row.reject(fault);
      } catch (error) {
        row.reject(error);
        // The next row would fail in the same way, after the same wait.
        if (concernsAll(error)) fault = error;
      }
    }
  }

  /** Retries after a random pause, so that processes which collided once do not keep colliding. */
  #tryLater(rows: readonly Waiting[], error: unknown): void {
    const start = monotonicMs() - this.#timeoutMs;
    for (const row of rows) if (row.since <= start) row.reject(error);
    // Rows that were added since then follow the older ones.
    this.#waiting = [...rows.filter(({ since }) => since > start), ...this.#waiting];
    if (this.#waiting.length === 0) return;
    this.#attempts = Math.min(this.#attempts + 1, 4);
    const pause = 1 + Math.random() * 2 ** this.#attempts;
    if (this.#cancel === undefined) this.#schedule((task) => setTimeout(task, pause), clearTimeout);
  }
}

/** True for an error of the database or its disk; false for an error of a single row. */
function concernsAll(error: unknown): boolean {
  if (isCallerError(error)) return false;
  const { code } = ((error as { cause?: unknown }).cause ?? {}) as { code?: unknown };
  return typeof code === "string" && !/^SQLITE_(?:CONSTRAINT|ERROR|MISMATCH|TOOBIG)/.test(code);
}
