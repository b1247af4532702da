/** Maximum number of texts that are kept; if everything changed, a list of all differences would be endless. */
const NAMED = 20;

/** Collects the first texts, and counts the others. */
export class BoundedList {
  readonly #named: string[] = [];
  #more = 0;

  add(text: string): void {
    if (this.#named.length < NAMED) this.#named.push(text);
    else this.#more += 1;
  }

  /** Number of all texts. */
  get count(): number {
    return this.#named.length + this.#more;
  }

  /** The texts that were kept. */
  get named(): readonly string[] {
    return this.#named;
  }

  /** The kept texts, followed by the number of the others. */
  list(): string[] {
    return this.#more === 0 ? [...this.#named] : [...this.#named, `and ${this.#more} more`];
  }
}
