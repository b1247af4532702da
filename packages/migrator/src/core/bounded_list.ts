/** How many differences are named; what changed altogether has no end of them. */
const NAMED = 20;

/** Collects what is worth naming, and counts the rest. */
export class BoundedList {
  readonly #named: string[] = [];
  #more = 0;

  add(text: string): void {
    if (this.#named.length < NAMED) this.#named.push(text);
    else this.#more += 1;
  }

  /** How many there are. */
  get count(): number {
    return this.#named.length + this.#more;
  }

  /** @param more How many there are beside these. */
  addAll(texts: readonly string[], more: number): void {
    for (const text of texts) this.add(text);
    this.#more += more;
  }

  /** Those that are named. */
  get named(): readonly string[] {
    return this.#named;
  }

  /** With a word about the others. */
  list(): string[] {
    return this.#more === 0 ? [...this.#named] : [...this.#named, `and ${this.#more} more`];
  }
}
