import type { Row } from "./row_values.ts";

/** Returns those of some characters that a database cannot hold. */
export type AskForLacking = (characters: readonly string[]) => Promise<readonly string[]>;

/**
 * Characters that a database in another encoding than UTF-8 can hold. Of each character the database is asked once: a text
 * has few different ones, and it can be held if all of them can.
 */
export class Repertoire {
  /** As messages name it. */
  readonly encoding: string;
  readonly #ask: AskForLacking;
  readonly #asked: Set<string> = new Set();
  readonly #lacking: Set<string> = new Set();

  constructor(encoding: string, ask: AskForLacking) {
    this.encoding = encoding;
    this.#ask = ask;
  }

  /** Asks for all characters of rows that were not met before. */
  async learn(rows: readonly Row[]): Promise<void> {
    const unknown = new Set<string>();
    for (const row of rows)
      for (const text of row)
        for (const [character] of text?.matchAll(BEYOND_ASCII) ?? [])
          if (!this.#asked.has(character)) unknown.add(character);
    if (unknown.size === 0) return;
    for (const character of await this.#ask([...unknown])) this.#lacking.add(character);
    for (const character of unknown) this.#asked.add(character);
  }

  /** Passes on rows after it has learned their characters. */
  async *learning(
    batches: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
  ): AsyncGenerator<readonly Row[], void> {
    for await (const batch of batches) {
      await this.learn(batch);
      yield batch;
    }
  }

  /** The first character of a text that the database cannot hold; of texts whose characters were learned. */
  lackingIn(text: string): string | undefined {
    if (this.#lacking.size === 0) return undefined;
    for (const [character] of text.matchAll(BEYOND_ASCII)) if (this.#lacking.has(character)) return character;
    return undefined;
  }
}

const BEYOND_ASCII = /[^\0-\x7f]/gu;
