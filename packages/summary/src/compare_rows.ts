import type { ItemTally } from "./item_tally.ts";
import type { StoredRow, StoredRows, StoredValue } from "./source.ts";

/**
 * Compares rows under their ids, each with all its values. Both sides are read once, side by side in the order of the ids,
 * so that the memory does not grow with their number.
 *
 * @param isQuarantined True for a row of `before` that a migration moved to its quarantine.
 */
export async function compareRows(
  before: StoredRows,
  after: StoredRows,
  isQuarantined: (row: StoredRow) => boolean,
  tally: ItemTally,
): Promise<void> {
  const [owner = ""] = before.columns;
  const described = ({ id, values: [name] }: StoredRow): [string, string] => [String(id), `${owner} ${String(name)}`];
  const [ours, theirs] = [iteratorOf(before), iteratorOf(after)];
  try {
    let [left, right] = [await ours.next(), await theirs.next()];
    while (left.done !== true || right.done !== true) {
      const order = left.done === true ? 1 : right.done === true ? -1 : compareIds(left.value.id, right.value.id);
      if (order < 0) {
        const row = left.value as StoredRow;
        if (isQuarantined(row)) tally.add("quarantined", () => [...described(row), "in quarantine"]);
        else tally.add("missing", () => [...described(row), ""]);
      } else if (order > 0) {
        const row = right.value as StoredRow;
        tally.add("added", () => [String(row.id), "", described(row)[1]]);
      } else compareRow(left.value as StoredRow, right.value as StoredRow);
      // Waits only for a server.
      if (order <= 0) left = isLater(ours) ? await ours.next() : ours.next();
      if (order >= 0) right = isLater(theirs) ? await theirs.next() : theirs.next();
    }
  } finally {
    // Ends the queries, also after an error: a connection with an open query cannot be closed.
    await ours.return?.();
    await theirs.return?.();
  }

  function compareRow(left: StoredRow, right: StoredRow): void {
    for (let index = 0; index < left.values.length; index += 1) {
      if (isSameValue(left.values[index], right.values[index])) continue;
      const different = before.columns.filter((_, at) => !isSameValue(left.values[at], right.values[at]));
      tally.add("changed", () => [...described(left), `other ${different.join(", ")}`]);
      return;
    }
    tally.add("same");
  }
}

type Rows = Iterator<StoredRow, void> | LaterRows;

interface LaterRows extends AsyncIterator<StoredRow, void> {
  [Symbol.asyncIterator]: unknown;
}

function iteratorOf({ read }: StoredRows): Rows {
  const rows = read();
  return Symbol.asyncIterator in rows ? (rows[Symbol.asyncIterator]() as LaterRows) : rows[Symbol.iterator]();
}

function isLater(rows: Rows): rows is LaterRows {
  return Symbol.asyncIterator in rows;
}

/**
 * True if nothing is lost: the values are equal, or `before` has lost its value. A column of another type holds the same
 * number as a text, an integer or a REAL.
 */
function isSameValue(before: StoredValue, after: StoredValue): boolean {
  if (before === after || before === undefined) return true;
  if (before instanceof Uint8Array) return after instanceof Uint8Array && Buffer.compare(before, after) === 0;
  if (before === null || after === null || after === undefined || typeof before === typeof after) return false;
  if (after instanceof Uint8Array || before === "" || after === "") return false;
  return Number(before) === Number(after);
}

/** Compares ids in SQLite's order: NULL, numbers, texts by their bytes, BLOBs. */
function compareIds(one: StoredValue, other: StoredValue): number {
  if (typeof one === "bigint" && typeof other === "bigint") return one < other ? -1 : one > other ? 1 : 0;
  const [kind, otherKind] = [kindOf(one), kindOf(other)];
  if (kind !== otherKind) return kind - otherKind;
  if (kind === 0) return 0;
  if (kind === 1) return (one as number) < (other as number) ? -1 : (one as number) > (other as number) ? 1 : 0;
  return Buffer.compare(Buffer.from(one as string), Buffer.from(other as string));
}

function kindOf(id: StoredValue): number {
  if (id === null || id === undefined) return 0;
  if (id instanceof Uint8Array) return 3;
  return typeof id === "string" ? 2 : 1;
}
