import type { Digest, Target } from "./side.ts";
import type { CopiedTable } from "./tables.ts";
import type { Piece, WrittenPieces } from "./written_pieces.ts";

/** A piece that the target has as it was written, and the transaction that wrote it. */
export interface EqualPiece extends Piece {
  writer: string;
}

/**
 * Asks the target for the digests of pieces once they are committed, while more is written: the server has the rows at hand,
 * and time for it. Pieces that differ are left out, and compared row by row at the end.
 */
export class PieceChecks {
  readonly #target: Pick<Target, "reader">;
  readonly #table: CopiedTable;
  readonly #written: WrittenPieces;
  readonly #equal: EqualPiece[] = [];
  #taken = 0;
  #work: Promise<void> = Promise.resolve();

  constructor(target: Pick<Target, "reader">, table: CopiedTable, written: WrittenPieces) {
    this.#target = target;
    this.#table = table;
    this.#written = written;
  }

  /** Rows of the pieces that stay whatever comes. */
  committed(rows: number): void {
    const ready: Piece[] = [];
    for (let piece = this.#written.pieces[this.#taken]; piece !== undefined && piece.until <= rows;) {
      ready.push(piece);
      this.#taken += 1;
      piece = this.#written.pieces[this.#taken];
    }
    if (ready.length === 0) return;
    this.#work = this.#work.then(() => this.#check(ready));
    // What fails here is told at the end.
    this.#work.catch(() => undefined);
  }

  /** Those that were equal, in the order of the keys. */
  async end(): Promise<readonly EqualPiece[]> {
    await this.#work;
    return this.#equal;
  }

  async #check(pieces: readonly Piece[]): Promise<void> {
    // It sees what was committed until now.
    const reader = await this.#target.reader();
    for (const piece of pieces) {
      const found: Digest | undefined = await reader?.digest?.(this.#table, piece.range);
      if (found?.digest === piece.digest && found.writer !== null) this.#equal.push({ ...piece, writer: found.writer });
    }
  }
}
