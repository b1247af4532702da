import { cutEnd, displayWidth } from "./display_width.ts";

/** One column of the table. */
export interface Column<Row> {
  title: string;
  /** True for numbers, which are aligned to the right. */
  right?: boolean;
  /** Narrower terminals omit the columns with the highest rank first. */
  rank: number;
  text: (row: Row) => string;
}

const GAP = "  ";
/** Minimum width of a column that is cut. */
const NARROWEST = 12;

/** A table whose column widths are determined by its first rows. */
export class Table<Row> {
  readonly #columns: { column: Column<Row>; width: number }[];
  readonly #width: number;
  readonly #omitted: readonly string[];

  /** @param sample The first rows. */
  constructor(all: readonly Column<Row>[], sample: readonly Row[], width: number) {
    this.#width = width;
    const columns = all.map((column) => ({
      column,
      width: sample.reduce(
        (widest, row) => Math.max(widest, displayWidth(column.text(row))),
        displayWidth(column.title),
      ),
    }));
    this.#columns = fitting(columns, width);
    const shown = new Set(this.#columns.map(({ column }) => column));
    this.#omitted = all.filter((column) => !shown.has(column) && column.title !== "").map(({ title }) => title);
  }

  /** The line with the column titles. */
  title(): string {
    return this.#line((column) => column.title);
  }

  row(row: Row): string {
    return this.#line((column) => column.text(row));
  }

  /** A line with the columns for which the terminal is too narrow; none if all are shown. */
  omitted(): string[] {
    if (this.#omitted.length === 0) return [];
    return [cutEnd(`not shown in ${this.#width} columns: ${this.#omitted.join(", ")}`, this.#width)];
  }

  #line(textOf: (column: Column<Row>) => string): string {
    const cells = this.#columns.map(({ column, width }) => {
      const text = cutEnd(textOf(column), column.rank === 0 ? width : Infinity);
      const blanks = " ".repeat(Math.max(0, width - displayWidth(text)));
      return column.right === true ? `${blanks}${text}` : `${text}${blanks}`;
    });
    return cutEnd(cells.join(GAP).trimEnd(), this.#width);
  }
}

/** Removes columns until the remaining ones fit; the last one and names may be cut. */
function fitting<Row>(
  columns: readonly { column: Column<Row>; width: number }[],
  width: number,
): { column: Column<Row>; width: number }[] {
  const kept = [...columns];
  const total = (): number =>
    kept.reduce(
      (sum, { column, width: own }) => sum + (column.rank <= 1 ? Math.min(own, NARROWEST) : own) + GAP.length,
      0,
    );
  while (total() > width && kept.length > 2) {
    const least = Math.max(...kept.map(({ column }) => column.rank));
    kept.splice(
      kept.findIndex(({ column }) => column.rank === least),
      1,
    );
  }
  const room = width - total() + NARROWEST + GAP.length;
  return kept.map(({ column, width: own }) => ({
    column,
    width: column.rank === 0 ? Math.min(own, Math.max(room, NARROWEST)) : own,
  }));
}
