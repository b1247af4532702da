/** A stored state. */
export interface StoredState {
  bytes: Uint8Array;
  /** Path of the state, for messages. */
  place: string;
}

/** Storage for the texts of states, by user id. */
export interface StateFiles {
  /** The stored state; undefined if the user has no state. */
  read(userId: string): StoredState | undefined;
  write(userId: string, text: string): void;
  /** Ids of all users with a state, in no particular order. */
  list(): string[];
  /** False if the user had no state. */
  remove(userId: string): boolean;
}

/** States in memory, for `persistence_enabled: false`. */
export class StateMemory implements StateFiles {
  readonly #texts = new Map<string, string>();

  read(userId: string): StoredState | undefined {
    const text = this.#texts.get(userId);
    return text === undefined ? undefined : { bytes: Buffer.from(text), place: `memory (${JSON.stringify(userId)})` };
  }

  write(userId: string, text: string): void {
    this.#texts.set(userId, text);
  }

  list(): string[] {
    return [...this.#texts.keys()];
  }

  remove(userId: string): boolean {
    return this.#texts.delete(userId);
  }
}
