import type { CheckedInteraction } from "@perdura/internals/metrics/checked_interaction.js";

/** A row that is not stored yet. */
interface Waiting {
  interaction: CheckedInteraction;
  resolve: (id: number) => void;
  reject: (error: unknown) => void;
}

/**
 * Rows that go to the server together: everything that is queued in one turn of the event loop, and all that comes while
 * the server is at work on the rows before, is one statement.
 */
export class GroupQueue {
  readonly #store: (interactions: readonly CheckedInteraction[]) => Promise<number[]>;
  readonly #most: number;
  #waiting: Waiting[] = [];
  #work: Promise<void> | undefined;

  /** @param most Rows in one statement. */
  constructor(store: (interactions: readonly CheckedInteraction[]) => Promise<number[]>, most: number) {
    this.#store = store;
    this.#most = most;
  }

  /** Resolves with the row's id when the row is stored. Rows are stored in the order in which they were added. */
  add(interaction: CheckedInteraction): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ interaction, resolve, reject });
      this.#work ??= this.#storeAll();
    });
  }

  /** Resolves when every row that was added is stored or refused. */
  async whenEmpty(): Promise<void> {
    await this.#work;
  }

  async #storeAll(): Promise<void> {
    // Comes after everything that is ready to run now, promises included.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) await this.#storeSome(this.#waiting.splice(0, this.#most));
    this.#work = undefined;
  }

  async #storeSome(rows: readonly Waiting[]): Promise<void> {
    try {
      const ids = await this.#store(rows.map(({ interaction }) => interaction));
      rows.forEach(({ resolve }, index) => resolve(ids[index] as number));
    } catch (error) {
      // Arguments were checked before: what fails here fails for all of them.
      for (const { reject } of rows) reject(error);
    }
  }
}
