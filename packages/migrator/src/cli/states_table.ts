import type { ArchivedState } from "../states/list_archived.ts";
import { cutEnd, displayWidth } from "./display_width.ts";
import { numberText, timeText } from "../report/quantities.ts";
import { printable } from "./terminal.ts";

/** One column of the table. */
interface Column {
  title: string;
  /** Numbers stand at the right. */
  right?: boolean;
  /** Narrower terminals do without the columns of the highest number. */
  rank: number;
  text: (state: ArchivedState) => string;
}

const COLUMNS: readonly Column[] = [
  { title: "user", rank: 0, text: ({ user_id: user }) => printable(user) },
  { title: "level", right: true, rank: 2, text: ({ current_level: level }) => cell(level) },
  { title: "target", right: true, rank: 5, text: ({ target_level: level }) => cell(level) },
  { title: "trust", right: true, rank: 3, text: ({ trust_level: trust }) => cell(trust) },
  { title: "interactions", right: true, rank: 4, text: ({ interaction_count: count }) => cell(count) },
  { title: "successes", right: true, rank: 7, text: ({ success_count: count }) => cell(count) },
  { title: "failures", right: true, rank: 8, text: ({ failure_count: count }) => cell(count) },
  { title: "last", rank: 6, text: ({ last_interaction: last }) => (last === null ? "-" : printable(timeText(last))) },
  {
    title: "",
    rank: 1,
    text: ({ status, reason }) => (reason === null ? "" : printable(`${status === "ok" ? "" : "broken: "}${reason}`)),
  },
];

const GAP = "  ";
/** Narrowest column of names. */
const USER = 12;

/** A table of states whose columns are as wide as its first rows need. */
export class StatesTable {
  readonly #columns: { column: Column; width: number }[];
  readonly #width: number;

  /** @param sample The first states. */
  constructor(sample: readonly ArchivedState[], width: number) {
    this.#width = width;
    const columns = COLUMNS.map((column) => ({
      column,
      width: Math.max(displayWidth(column.title), ...sample.map((state) => displayWidth(column.text(state)))),
    }));
    this.#columns = fitting(columns, width);
  }

  /** The names of the columns. */
  title(): string {
    return this.#line((column) => column.title);
  }

  row(state: ArchivedState): string {
    return this.#line((column) => column.text(state));
  }

  #line(textOf: (column: Column) => string): string {
    const cells = this.#columns.map(({ column, width }) => {
      const text = cutEnd(textOf(column), column.rank === 0 ? width : Infinity);
      const blanks = " ".repeat(Math.max(0, width - displayWidth(text)));
      return column.right === true ? `${blanks}${text}` : `${text}${blanks}`;
    });
    return cutEnd(cells.join(GAP).trimEnd(), this.#width);
  }
}

function cell(value: number | null): string {
  return value === null ? "-" : numberText(value);
}

/** Drops columns until the rest fits; the last one may be cut, and so may names. */
function fitting(
  columns: readonly { column: Column; width: number }[],
  width: number,
): { column: Column; width: number }[] {
  const kept = [...columns];
  const total = (): number =>
    kept.reduce((sum, { column, width: own }) => sum + (column.rank <= 1 ? Math.min(own, USER) : own) + GAP.length, 0);
  while (total() > width && kept.length > 2) {
    const least = Math.max(...kept.map(({ column }) => column.rank));
    kept.splice(
      kept.findIndex(({ column }) => column.rank === least),
      1,
    );
  }
  const room = width - total() + USER + GAP.length;
  return kept.map(({ column, width: own }) => ({
    column,
    width: column.rank === 0 ? Math.min(own, Math.max(room, USER)) : own,
  }));
}
