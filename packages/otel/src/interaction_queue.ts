import { diag } from "@opentelemetry/api";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import type { SpanCollector, SpanRecord } from "./collector.ts";

/** Maximum number of rows in one transaction. */
const ROWS_AT_ONCE = 512;

/** Numbers of interactions of a processor, by their state. */
export interface SpanCounts {
  /** Interactions that are stored. */
  recorded: number;
  /** Interactions that wait for the next write. */
  waiting: number;
  /** Interactions that were given up: the queue was full, a value was invalid, or the collector refused them. */
  dropped: number;
}

/** Limits of a queue. */
export interface QueueLimits {
  /** Maximum number of interactions that wait. */
  size: number;
  /** Longest wait of an interaction before an attempt to write it, in milliseconds. */
  delayMs: number;
}

/** Bounded queue of interactions, which are written in the background. No method throws, and no promise rejects. */
export class InteractionQueue {
  readonly #collector: SpanCollector;
  readonly #limits: QueueLimits;
  readonly #waiting: SpanRecord[] = [];
  #recorded = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #isHurried = false;
  #writing: Promise<void> | undefined;
  #isClosed = false;
  /** Reasons that were reported since the last write. */
  readonly #reported: Set<string> = new Set();

  constructor(collector: SpanCollector, limits: QueueLimits) {
    this.#collector = collector;
    this.#limits = limits;
  }

  get counts(): SpanCounts {
    return { recorded: this.#recorded, waiting: this.#waiting.length, dropped: this.#dropped };
  }

  add(record: SpanRecord): void {
    if (this.#isClosed) return this.drop(1, "the processor was shut down");
    if (this.#waiting.length >= this.#limits.size) return this.drop(1, "the queue is full");
    this.#waiting.push(record);
    if (this.#waiting.length >= ROWS_AT_ONCE && !this.#isHurried) this.#schedule(0);
    else if (this.#timer === undefined) this.#schedule(this.#limits.delayMs);
  }

  /** Counts interactions that are given up. The first ones for a reason are reported to the diagnostics of OpenTelemetry. */
  drop(count: number, reason: string, error?: unknown): void {
    this.#dropped += count;
    this.#report(`dropped ${count} of the spans: ${reason}.`, error);
  }

  /** Tries to write everything that waits, once. */
  flush(): Promise<void> {
    return (this.#writing ??= this.#write().finally(() => (this.#writing = undefined)));
  }

  /** Writes everything that waits, and drops what cannot be written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flush();
    clearTimeout(this.#timer);
    const left = this.#waiting.splice(0).length;
    if (left > 0) this.drop(left, "the processor was shut down before they could be recorded");
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    [this.#timer, this.#isHurried] = [undefined, false];
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, ROWS_AT_ONCE);
      try {
        await this.#collector.recordMany(batch);
        this.#recorded += batch.length;
        this.#reported.clear();
      } catch (error) {
        if (canRetry(error)) return this.#retryLater(error);
        this.drop(batch.length, "the collector refused them", error);
      }
      this.#waiting.splice(0, batch.length);
    }
  }

  #retryLater(error: unknown): void {
    this.#report("cannot record now, and retries while the queue has room.", error);
    if (!this.#isClosed) this.#schedule(this.#limits.delayMs);
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#isHurried = delayMs === 0;
    this.#timer = setTimeout(() => void this.flush(), delayMs);
    // Waiting spans must not keep a finished program running.
    this.#timer.unref();
  }

  #report(what: string, error: unknown): void {
    if (this.#reported.has(what)) return;
    this.#reported.add(what);
    const cause = error instanceof Error ? ` ${error.message}` : "";
    diag.warn(`@perdura/otel: ${what}${cause}`);
  }
}

/** Codes of errors that would come again. */
const LASTING: readonly string[] = ["PERDURA_VALIDATION", "PERDURA_CLOSED"];

/** True if nothing was written, and a later attempt may succeed: another process writes, the server is away. */
function canRetry(error: unknown): boolean {
  return isPerduraError(error) && !LASTING.includes(error.code) && !error.mayBeWritten;
}
