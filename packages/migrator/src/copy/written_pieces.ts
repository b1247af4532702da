import { createHash, type Hash } from "node:crypto";
import { type Compared, compareRows, type Comparison, nothingCompared } from "./compare_tables.ts";
import type { KeyRange } from "./side.ts";
import type { Row } from "./tables.ts";

/** Written rows: all rows that the source has in a range of keys. */
interface Piece {
  range: KeyRange;
  rows: number;
  /** SHA-256 of their concatenated texts, in hexadecimal digits. */
  digest: string;
}

/** Number of rows that ends a piece. */
const ROWS = 10_000;
/** Number of characters that ends a piece: the server makes one text of them. */
const CHARACTERS = 1 << 22;

/**
 * Records digests of the written rows, piece by piece, to be compared with those of the target: reading all rows again
 * and comparing them here takes two thirds of the time of writing.
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

  /** In the order of writing, which is that of the keys. */
  get pieces(): readonly Piece[] {
    return this.#pieces;
  }

  /** Passes on consecutive rows of the source. */
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

  /** Rows of the target between two pieces belong to the range of the second. */
  #endPiece(): void {
    if (this.#rows === 0) return;
    this.#pieces.push({ range: this.#range, rows: this.#rows, digest: this.#hash.digest("hex") });
    this.#range = { after: this.#range.last };
    this.#hash = createHash("sha256");
    this.#rows = 0;
    this.#characters = 0;
  }
}

/** True for rows that are compared by their values, because the server could not make one text of them. */
function isLarge(batch: readonly Row[]): boolean {
  let characters = 0;
  for (const row of batch) for (const value of row) characters += value?.length ?? 0;
  return characters > CHARACTERS;
}

/**
 * A row in the text format of PostgreSQL's `ROW(…)::text`, which is unique for each row. PostgreSQL formats very small
 * and very large real numbers differently: then the texts differ although the rows are equal.
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

/** Whitespace is ASCII only. */
const SPECIAL = /["\\(),\t-\r ]/;

/**
 * Compares all rows of a table after the copy: written rows by the digests of their pieces, all others, and pieces
 * whose digest differs, row by row.
 *
 * @param pieces Sorted by key.
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
    // The rows between the previous pieces and this one. No rows, if it follows the previous one directly.
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

/** The end of the range before another range. */
function beginOf({ first, after }: KeyRange): KeyRange {
  return after === undefined ? { before: first } : { last: after };
}
