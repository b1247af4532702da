/** A place in a text file, as editors count: both from 1, columns in UTF-16 units. */
export interface TextPlace {
  line: number;
  column: number;
}

/**
 * Where offsets of a text lie in its lines. The lines are counted once, however many places are asked for.
 * @example new TextPlaces("a\nbc").at(3) // { line: 2, column: 2 }
 */
export class TextPlaces {
  readonly #starts: number[] = [0];

  constructor(text: string) {
    for (let feed = text.indexOf("\n"); feed !== -1; feed = text.indexOf("\n", feed + 1)) this.#starts.push(feed + 1);
  }

  /** The place of an offset in UTF-16 units from 0; the end of the text is a place, too. */
  at(offset: number): TextPlace {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.#starts[low] as number) + 1 };
  }
}
