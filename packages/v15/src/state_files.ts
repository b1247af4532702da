/** Where the texts of states are kept, by user id. */
export interface StateFiles {
  /** Names the place of a user's state in messages. */
  place(userId: string): string;
  read(userId: string): Uint8Array | undefined;
  write(userId: string, text: string): void;
  /** The ids of all users with a state, in no order. */
  list(): string[];
  /** False when there was none. */
  remove(userId: string): boolean;
}

/** States in memory, for `persistence_enabled: false`. */
export class StateMemory implements StateFiles {
  readonly #texts = new Map<string, string>();

  place(userId: string): string {
    return `memory (${JSON.stringify(userId)})`;
  }

  read(userId: string): Uint8Array | undefined {
    const text = this.#texts.get(userId);
    return text === undefined ? undefined : Buffer.from(text);
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
