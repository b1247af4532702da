import { ValidationError } from "../errors/errors.ts";
import { type CheckedInteraction, checkedInteraction } from "./checked_interaction.ts";

/** Operations of a metrics database that a writer needs. */
export interface WriterLog {
  enqueue(interaction: CheckedInteraction): Promise<number>;
  whenWritten(): Promise<void>;
}

/** Common part of the asynchronous writers of both lines. */
export abstract class WriterBase {
  readonly #log: WriterLog;
  #closed = false;

  constructor(log: WriterLog) {
    this.#log = log;
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
   * still stored.
   *
   * @example
   * ```ts
   * const metrics = new MetricsCollector("metrics.db");
   * const writer = metrics.writer();
   * console.log(await writer.recordInteraction("alice", 3, true, 120.5)); // 1
   * metrics.close();
   * ```
   */
  async recordInteraction(userId: string, level: number, success: boolean, responseTimeMs: number): Promise<number> {
    return this.enqueue(checkedInteraction(userId, level, success, responseTimeMs));
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

  protected enqueue(interaction: CheckedInteraction): Promise<number> {
    if (this.#closed) throw new ValidationError("The writer was closed. Nothing was written.");
    return this.#log.enqueue(interaction);
  }
}
