import { ClosedError, ValidationError } from "../errors/errors.ts";
import { describe } from "../text/describe.ts";
import { assertNoMore, assertOptions } from "../text/options.ts";
import { type CheckedInteraction, checkedInteraction } from "./checked_interaction.ts";
import type { DeleteBeforeOptions, Deleted, DeletionOptions } from "./deletion/deletion.ts";
import { type CheckedDeletion, checkedDeletion, checkedForgetting } from "./deletion/deletion_arguments.ts";

/** Operations of a metrics database that a writer needs. */
export interface WriterLog {
  enqueue(interaction: CheckedInteraction): Promise<number>;
  whenWritten(): Promise<void>;
  deleteAsync(asked: CheckedDeletion): Promise<Deleted>;
}

/** Settings of a writer. */
export interface WriterOptions {
  /**
   * Called for each record that could not be stored, with the error: an invalid argument, a full disk, a closed
   * collector, a server that does not answer. The promise of the call then resolves with undefined instead of rejecting,
   * so that a failure to record never ends the program, awaited or not.
   */
  onError?: ((error: Error) => void) | undefined;
}

/** @throws ValidationError that names the option. */
export function assertWriterOptions(options: WriterOptions): void {
  assertOptions("options", options, ["onError"]);
  const { onError } = options;
  if (onError !== undefined && typeof onError !== "function")
    throw new ValidationError(`expected a function, got ${describe(onError)}.`, { argument: "onError" });
}

/**
 * Common part of the asynchronous writers of both lines.
 *
 * @typeParam Id What a call resolves with: the id of the row; with `onError` also undefined, for a dropped record.
 */
export abstract class WriterBase<Id extends number | undefined = number> {
  readonly #log: WriterLog;
  readonly #onError: WriterOptions["onError"];
  #closed = false;
  #dropped = 0;

  constructor(log: WriterLog, options: WriterOptions = {}) {
    assertWriterOptions(options);
    this.#log = log;
    this.#onError = options.onError;
  }

  /**
   * Number of records that could not be stored and were reported to `onError`.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * const writer = metrics.writer({ onError: (error) => console.error(error.message) });
   * await writer.recordInteraction("", 3, true, 120.5); // userId: expected text that is not empty. Nothing was written.
   * console.log(writer.dropped); // 1
   * metrics.close();
   * ```
   */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Adds one interaction at a given level, as `MetricsCollector.recordInteraction` does.
   *
   * @param userId Identifier of the user; not empty.
   * @param level Integer from 1 to 5.
   * @param success True if the interaction succeeded.
   * @param responseTimeMs Response time in milliseconds; finite, 0 or more.
   * @returns Promise that resolves with the id of the new row when the row is durable. It rejects with a
   * ValidationError that names the argument, or with the error because of which the row was not stored; other rows are
   * still stored. With `onError` it never rejects; see {@link WriterOptions}.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * const writer = metrics.writer();
   * console.log(await writer.recordInteraction("alice", 3, true, 120.5)); // 1
   * metrics.close();
   * ```
   */
  async recordInteraction(userId: string, level: number, success: boolean, responseTimeMs: number): Promise<Id> {
    return this.store(() => {
      assertNoMore("recordInteraction", arguments, 4);
      return checkedInteraction(userId, level, success, responseTimeMs);
    });
  }

  /**
   * Deletes everything of one user, as the collector's `forgetUser` does; the program continues between the steps. Await
   * earlier calls that record first: a row that is still queued is stored afterwards.
   *
   * @param options.erase True to leave no copy in the files of the database.
   * @param options.onProgress Called with the number of deleted interactions and their total number.
   * @returns Numbers of deleted interactions and of their metadata; 0 for an unknown user.
   * @throws ValidationError that names the argument; StorageError or BusyError if not everything could be deleted or
   * erased: what was deleted before stays deleted.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * const writer = metrics.writer();
   * await writer.recordInteraction("alice", 3, true, 120.5);
   * console.log(await writer.forgetUser("alice")); // { interactions: 1, metadata: 0 }
   * metrics.close();
   * ```
   */
  async forgetUser(userId: string, options: DeletionOptions = {}): Promise<Deleted> {
    assertNoMore("forgetUser", arguments, 2);
    return this.#log.deleteAsync(checkedForgetting(userId, options));
  }

  /**
   * Deletes the interactions before a moment, as the collector's `deleteBefore` does; the program continues between the
   * steps.
   *
   * @param time The first moment that is kept: a Date, or text in UTC (`YYYY-MM-DD`, `YYYY-MM-DDTHH:MM:SS`).
   * @param options.user_id Deletes interactions of this user only.
   * @param options.erase True to leave no copy in the files of the database.
   * @param options.onProgress Called with the number of deleted interactions and their total number.
   * @returns Numbers of deleted interactions and of their metadata.
   * @throws ValidationError that names the argument; StorageError or BusyError as for {@link forgetUser}.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * const writer = metrics.writer();
   * await writer.recordInteraction("alice", 3, true, 120.5);
   * console.log(await writer.deleteBefore("2020-01-01")); // { interactions: 0, metadata: 0 }
   * metrics.close();
   * ```
   */
  async deleteBefore(time: Date | string, options: DeleteBeforeOptions = {}): Promise<Deleted> {
    assertNoMore("deleteBefore", arguments, 2);
    return this.#log.deleteAsync(checkedDeletion(time, options));
  }

  /** Resolves when every recorded row is durable or refused. The collector stays open. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#log.whenWritten();
  }

  /** Calls {@link close} at the end of an `await using` block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Stores a row when it is checked. */
  protected store(check: () => CheckedInteraction): Promise<Id> {
    // Without a further promise, so that a call resolves before `close`.
    return this.#onError === undefined ? this.#enqueue(check) : this.#storeOrDrop(check, this.#onError);
  }

  async #storeOrDrop(check: () => CheckedInteraction, onError: (error: Error) => void): Promise<Id> {
    try {
      return await this.#enqueue(check);
    } catch (error) {
      // Not awaited: a slow log must not delay the program.
      void this.#drop(error as Error, onError);
      return undefined as Id;
    }
  }

  #enqueue(check: () => CheckedInteraction): Promise<Id> {
    const interaction = check();
    if (this.#closed) throw new ClosedError("The writer was closed. Nothing was written.");
    return this.#log.enqueue(interaction) as Promise<Id>;
  }

  /** Never rejects. */
  async #drop(error: Error, onError: (error: Error) => void | Promise<void>): Promise<void> {
    this.#dropped += 1;
    try {
      await onError(error);
    } catch (failure) {
      process.emitWarning(
        `onError of a metrics writer failed: ${failure instanceof Error ? failure.message : describe(failure)}. The record was dropped because of: ${error.message}`,
        { code: "PERDURA_ON_ERROR" },
      );
    }
  }
}
