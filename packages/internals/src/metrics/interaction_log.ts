import { ClosedError, ValidationError } from "../errors/errors.ts";
import { trackUncertainCommit, storageErrorOf, withStorage } from "../files/storage_errors.ts";
import { type Waits, waitInSlices, waitWhileBusy } from "../sqlite/busy.ts";
import { type Compacted, REWRITTEN_UP_TO } from "../sqlite/compact.ts";
import { LargeLog } from "../sqlite/large_log.ts";
import { type Database, DEFAULT_BUSY_TIMEOUT_MS } from "../sqlite/open_database.ts";
import { PlacedFile } from "../sqlite/placed_file.ts";
import { WriteTransaction } from "../sqlite/write_transaction.ts";
import { type Clock, systemClock } from "../text/timestamps.ts";
import type { CheckedInteraction } from "./checked_interaction.ts";
import type { CollectorLog } from "./collector_base.ts";
import type { Deleted } from "./deletion/deletion.ts";
import type { CheckedDeletion } from "./deletion/deletion_arguments.ts";
import { type DeletingLog, deletionSteps } from "./deletion/deletion_steps.ts";
import { rewriteKeepingSums } from "./deletion/erase.ts";
import type { ErasedDatabase } from "../sqlite/erase_texts.ts";
import { STEP_MS } from "../sqlite/pace.ts";
import { runWithPauses, runWithPausesAsync, type Watch, watchWriters } from "../sqlite/pauses.ts";
import { exportInteractions } from "./export.ts";
import { type ExportOptions, reporterOf } from "./export_progress.ts";
import { lazy } from "../runtime/lazy.ts";
import { openForRecording } from "./open_metrics.ts";
import { assertMetricsOptions, checkedKeys, type MetricsOptions } from "./options.ts";
import { type RollupStatistics, rollupStatistics } from "./rollup/rollup_statistics.ts";
import { RowWriter } from "./row_writer.ts";
import type { LevelColumn } from "./schema.ts";
import type { CollectorQueries } from "./statistics.ts";
import { WriteQueue } from "./write_queue.ts";

/** The open metrics database of a collector with its prepared statements. */
export class InteractionLog implements CollectorLog {
  readonly levelColumn: LevelColumn;
  readonly clock: Clock;
  readonly #database: Database;
  readonly #path: string;
  readonly #timeout: number;
  readonly #rows: RowWriter;
  readonly #transaction: WriteTransaction;
  readonly #waits: Waits;
  readonly #statistics: () => RollupStatistics;
  readonly #largeLog: LargeLog;
  readonly #file: PlacedFile;
  readonly #queue: WriteQueue;
  #takesMany = false;
  #closed = false;

  constructor(dbPath: string, levelColumn: LevelColumn, options: MetricsOptions = {}) {
    assertMetricsOptions(options);
    this.levelColumn = levelColumn;
    this.clock = options.clock ?? systemClock;
    this.#path = dbPath;
    this.#timeout = options.busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT_MS;
    const { database, rows } = openForRecording(dbPath, levelColumn, {
      ...options,
      keys: checkedKeys(options.breakdown),
    });
    this.#database = database;
    try {
      this.#rows = rows ?? new RowWriter(database, dbPath, levelColumn, options.clock);
      this.#waits = waitInSlices(this.#database, this.#timeout);
      this.#transaction = new WriteTransaction(this.#database, this.#waits);
      this.#statistics = lazy(() => rollupStatistics(this.#database, levelColumn, { waits: this.#waits }));
      this.#largeLog = new LargeLog(this.#database, dbPath, this.#waits);
      this.#file = new PlacedFile(this.#database, dbPath);
    } catch (error) {
      this.#database.close();
      throw storageErrorOf(error, dbPath, "opening");
    }
    this.#queue = new WriteQueue(this, this.#timeout);
  }

  /** SQLite's journal mode, usually `wal`; see {@link MetricsOptions}. */
  get journalMode(): string {
    this.#assertUsable();
    return this.#database.pragma("journal_mode", { simple: true }) as string;
  }

  /** Adds one row, with its metadata in the same transaction; returns its id. */
  append(interaction: CheckedInteraction): number {
    this.#assertUsable();
    const id = this.#record(() => {
      // A single statement is its own transaction; two statements need an explicit one.
      if (interaction.metadata === null)
        return trackUncertainCommit(() => waitWhileBusy(this.#timeout, () => this.#rows.insert(interaction)));
      return this.#transaction.run(() => this.#rows.insert(interaction));
    });
    this.#largeLog.wrote(1, true);
    return id;
  }

  /**
   * Adds all rows in one transaction: all of them, or none. Reads them one at a time, so that they need not all be in
   * memory.
   */
  appendAll(interactions: Iterable<CheckedInteraction>): number {
    this.#assertUsable();
    const rows = this.#record(() => this.#transaction.run(() => this.#insertAll(interactions)));
    this.#largeLog.wrote(rows, true);
    return rows;
  }

  /**
   * Adds all rows in one transaction; returns their ids. Without `mayWait`, throws a BusyError if another process
   * writes.
   */
  appendTogether(interactions: readonly CheckedInteraction[], mayWait: boolean): number[] {
    const insertAll = (): number[] => interactions.map(this.#rows.forTransaction());
    const ids = this.#record(() =>
      mayWait ? this.#transaction.run(insertAll) : this.#transaction.runAtOnce(insertAll),
    );
    this.#largeLog.wrote(ids.length, mayWait);
    return ids;
  }

  /**
   * Adds a row, in one transaction with all rows that are added in this turn of the event loop. Resolves with its id
   * when it is durable.
   */
  enqueue(interaction: CheckedInteraction): Promise<number> {
    this.#assertUsable();
    return this.#queue.add(interaction);
  }

  /** Resolves when the queue is empty. */
  whenWritten(): Promise<void> {
    return this.#queue.whenEmpty();
  }

  /** Answers a question about the recorded interactions. */
  ask<Answer>(question: (statistics: CollectorQueries) => Answer): Answer {
    this.#assertUsable();
    return this.#store("reading", () => waitWhileBusy(this.#timeout, () => question(this.#statistics())));
  }

  /** Deletes rows in steps; other writers continue between them. */
  delete(asked: CheckedDeletion): Deleted {
    return runWithPauses(this.deletion(asked), this.watch());
  }

  /** Deletes rows as {@link delete} does; between two steps the program continues. */
  async deleteAsync(asked: CheckedDeletion): Promise<Deleted> {
    return runWithPausesAsync(this.deletion(asked), this.watch());
  }

  /** Rewrites the database without its unused pages. */
  compact(): Compacted {
    this.#assertUsable();
    return this.#store("rewriting", () => {
      this.#file.assertBefore();
      return rewriteKeepingSums(this.#erased());
    });
  }

  /** Writes all rows to a file; see {@link exportInteractions}. */
  exportTo(filepath: string, options: ExportOptions = {}): number {
    this.#assertUsable();
    const source = {
      database: this.#database,
      path: this.#path,
      levelColumn: this.levelColumn,
      statistics: this.#statistics(),
      clock: this.clock,
      report: reporterOf(options),
    };
    return this.#store("reading", () => waitWhileBusy(this.#timeout, () => exportInteractions(source, filepath)));
  }

  /**
   * Writes the queued rows and closes the connection. Further calls throw, except that a second `close` does nothing.
   */
  close(): void {
    if (this.#closed) return;
    this.#assertUsable();
    this.#queue.drain();
    this.#file.close();
    this.#closed = true;
  }

  /** Tells the caller of {@link deletion} whether other connections write. */
  watch(): Watch {
    this.#assertUsable();
    const haveOthersWritten = watchWriters(this.#database);
    return () => {
      this.#assertUsable();
      return haveOthersWritten();
    };
  }

  /** The steps of {@link delete}; the caller lets other writers continue between them. */
  *deletion(asked: CheckedDeletion): Generator<void, Deleted> {
    const log: DeletingLog = {
      ...this.#erased(),
      refreshSums: () => this.#statistics().refreshing(() => STEP_MS),
    };
    const steps = deletionSteps(log, asked);
    for (;;) {
      this.#assertUsable();
      const step = this.#store("deleting interactions", () => steps.next());
      if (step.done === true) return step.value;
      yield;
    }
  }

  #erased(): ErasedDatabase {
    return {
      database: this.#database,
      path: this.#path,
      waits: this.#waits,
      rewrittenUpTo: REWRITTEN_UP_TO,
      change: (work) => {
        this.#file.assertBefore();
        const result = this.#transaction.run(work);
        this.#file.assertAfter();
        return result;
      },
    };
  }

  #insertAll(interactions: Iterable<CheckedInteraction>): number {
    this.#takesMany = true;
    try {
      return this.#rows.insertAll(interactions);
    } finally {
      this.#takesMany = false;
    }
  }

  /** Stores rows; they are in the file at the path when this returns. */
  #record<Result>(task: () => Result): Result {
    return this.#store("recording", () => {
      this.#file.assertBefore();
      const stored = task();
      this.#file.assertAfter();
      return stored;
    });
  }

  #store<Result>(action: string, task: () => Result): Result {
    return withStorage(this.#path, action, task);
  }

  #assertUsable(): void {
    // A field of this class: asking the driver would take a twentieth of the time of a question.
    if (this.#closed) throw new ClosedError(`The collector of ${this.#path} was closed.`);
    // The call would be part of the transaction, and a rollback would undo it although it had succeeded.
    if (this.#takesMany) {
      throw new ValidationError(
        `The collector of ${this.#path} was called by the iterable that it is reading in recordMany. Nothing was written. Read the values before the call, or use another collector.`,
      );
    }
  }
}
