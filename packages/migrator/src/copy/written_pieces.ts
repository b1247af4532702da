import { createHash, type Hash } from "node:crypto";
import { type Compared, compareRows, type Comparison, nothingCompared } from "./compare_tables.ts";
import type { KeyRange } from "./side.ts";
import type { Row } from "./tables.ts";

/** Rows that were written: all that the source has in a range of keys. */
interface Piece {
  range: KeyRange;
  rows: number;
  /** SHA-256 of their texts one after the other, in hexadecimal digits. */
  digest: string;
}

/** A piece ends with so many rows, */
const ROWS = 10_000;
/** or so many characters: the server makes one text of them. */
const CHARACTERS = 1 << 22;

/**
 * Notes what is written as digests, piece by piece, so that the target can be asked for its own: to read everything again
 * and compare it here takes two thirds of the time of writing.
 */
export class WrittenPieces {
  readonly #rowsOfPiece: number;
  readonly #pieces: Piece[] = [];
  #rows = 0;
  #characters = 0;
  #hash: Hash = createHash("sha256");
  #range: KeyRange = {};

  constructor(rowsOfPiece: number = ROWS) {
    this.#rowsOfPiece = rowsOfPiece;
  }

  /** In the order in which they were written, which is that of the keys. */
  get pieces(): readonly Piece[] {
    return this.#pieces;
  }

  /** Passes on rows that follow each other in the source. */
  async *through(batches: AsyncIterable<readonly Row[]>): AsyncGenerator<readonly Row[], void> {
    this.#range = {};
    for await (const batch of batches) {
      this.#note(batch);
      yield batch;
    }
    this.#endPiece();
  }

  #note(batch: readonly Row[]): void {
    const [first, last] = [batch[0]?.[0] as string, batch.at(-1)?.[0] as string];
    if (isLarge(batch)) {
      this.#endPiece();
      this.#range = { after: last };
      return;
    }
    if (this.#range.after === undefined) this.#range.first ??= first;
    this.#range.last = last;
    let text = "";
    for (const row of batch) text += recordText(row);
    this.#hash.update(text);
    this.#rows += batch.length;
    this.#characters += text.length;
    if (this.#rows >= this.#rowsOfPiece || this.#characters >= CHARACTERS) this.#endPiece();
  }

  /** What the target has between two pieces belongs to the second. */
  #endPiece(): void {
    if (this.#rows === 0) return;
    this.#pieces.push({ range: this.#range, rows: this.#rows, digest: this.#hash.digest("hex") });
    this.#range = { after: this.#range.last };
    this.#hash = createHash("sha256");
    this.#rows = 0;
    this.#characters = 0;
  }
}

/** These are compared by their values: the server could not make a text of them. */
function isLarge(batch: readonly Row[]): boolean {
  let characters = 0;
  for (const row of batch) for (const value of row) characters += value?.length ?? 0;
  return characters > CHARACTERS;
}

/**
 * A row as PostgreSQL writes `ROW(…)` as text, which no other row is written as. Very small and very large real numbers
 * it writes in another way: where there are such, the texts differ though the rows are equal.
 */
function recordText(row: Row): string {
  let text = "";
  let between = "(";
  for (const value of row) {
    text += `${between}${value === null ? "" : quoted(value)}`;
    between = ",";
  }
  return `${text})`;
}

function quoted(value: string): string {
  if (value !== "" && !SPECIAL.test(value)) return value;
  return `"${value.replaceAll(/["\\]/g, "$&$&")}"`;
}

/** Whitespace is that of ASCII. */
const SPECIAL = /["\\(),\t-\r ]/;

/**
 * Compares a table after the copy, everything that the target has in it now: what was written by the digests of its pieces,
 * everything else, and each piece whose digest differs, row by row.
 *
 * @param pieces In the order of the keys.
 */
export async function verifyTable(
  compared: Compared,
  pieces: readonly Piece[],
  tell: (done: number) => Promise<void>,
): Promise<Comparison> {
  const { table, target } = compared;
  const found = nothingCompared();
  let rest: KeyRange = {};
  for (const { range, rows, digest } of pieces) {
    if ((await target?.digest?.(table, range)) !== digest) continue;
    // What lies between the pieces before and this one. Where it goes on from the one before, nothing does.
    if (rest.after === undefined || range.after !== rest.after)
      await compareRows(compared, { ...rest, ...beginOf(range) }, found, tell);
    found.rows += rows;
    found.equal += rows;
    rest = { after: range.last };
    await tell(found.rows);
  }
  await compareRows(compared, rest, found, tell);
  return found;
}

/** Where the rows before a range end. */
function beginOf({ first, after }: KeyRange): KeyRange {
  return after === undefined ? { before: first } : { last: after };
}
