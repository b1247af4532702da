import { inBatches } from "@perdura/internals/rows/in_batches.js";
import { mergeJoin, type SortedBatches } from "@perdura/internals/rows/merge_join.js";
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
  await mergeJoin(
    batchesOf(before),
    batchesOf(after),
    (left, right) => compareIds(left.id, right.id),
    (left, right) => {
      if (left !== undefined && right !== undefined) compareRow(left, right);
      else if (right !== undefined) tally.add("added", () => [String(right.id), "", described(right)[1]]);
      else if (left !== undefined && isQuarantined(left))
        tally.add("quarantined", () => [...described(left), "in quarantine"]);
      else if (left !== undefined) tally.add("missing", () => [...described(left), ""]);
    },
  );

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

/** Number of rows in memory at a time; of a server, one. */
const AT_ONCE = 100;

function batchesOf({ read }: StoredRows): SortedBatches<StoredRow> {
  const rows = read();
  return Symbol.asyncIterator in rows ? oneByOne(rows) : inBatches(rows, AT_ONCE);
}

async function* oneByOne(rows: AsyncIterable<StoredRow>): AsyncGenerator<StoredRow[], void> {
  for await (const row of rows) yield [row];
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
