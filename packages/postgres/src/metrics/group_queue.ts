import type { CheckedInteraction } from "@perdura/internals/metrics/checked_interaction.js";

/** A row that is not stored yet. */
interface Waiting {
  interaction: CheckedInteraction;
  resolve: (id: number) => void;
  reject: (error: unknown) => void;
}

/** Operations of a queue. */
export interface Grouping {
  /** Stores all rows, or none; returns their ids. */
  store(interactions: readonly CheckedInteraction[]): Promise<number[]>;
  /**
   * Returns a number for each row, after rows were not stored: the rows with the same number are then stored together.
   * Undefined if the error concerns all rows.
   */
  partsAfter(error: unknown, interactions: readonly CheckedInteraction[]): Promise<number[] | undefined>;
}

/**
 * Queue of rows that are sent together: one statement contains all rows that were queued in one turn of the event loop,
 * or while the server processed the previous statement.
 */
export class GroupQueue {
  readonly #grouping: Grouping;
  readonly #most: number;
  #waiting: Waiting[] = [];
  #work: Promise<void> | undefined;

  /** @param most Maximum number of rows in one statement. */
  constructor(grouping: Grouping, most: number) {
    this.#grouping = grouping;
    this.#most = most;
  }

  /** Resolves with the row's id when the row is stored. Rows are stored in the order in which they were added. */
  add(interaction: CheckedInteraction): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ interaction, resolve, reject });
      this.#work ??= this.#storeAll();
    });
  }

  /** Resolves when every added row is stored or refused. */
  async whenEmpty(): Promise<void> {
    await this.#work;
  }

  async #storeAll(): Promise<void> {
    // Runs after everything that is ready now, including promises.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) await this.#storeSome(this.#waiting.splice(0, this.#most));
    this.#work = undefined;
  }

  async #storeSome(rows: readonly Waiting[]): Promise<void> {
    const interactions = rows.map(({ interaction }) => interaction);
    try {
      const ids = await this.#grouping.store(interactions);
      rows.forEach(({ resolve }, index) => resolve(ids[index] as number));
    } catch (error) {
      // The arguments were checked before, so the error concerns all rows, or those of one part.
      const numbers = await this.#grouping.partsAfter(error, interactions);
      const parts = Map.groupBy(rows, (_, index) => numbers?.[index]);
      if (parts.size > 1) for (const part of parts.values()) await this.#storeSome(part);
      else for (const { reject } of rows) reject(error);
    }
  }
}
