import { mergeJoin } from "@perdura/internals/rows/merge_join.js";
import { type Fault, faultOf, type Repertoire, type Store } from "./faults.ts";
import type { KeyRange, Reader, Seen } from "./side.ts";
import { type CopiedTable, keyOf, type Row } from "./tables.ts";

/** Maximum number of faults and differences that are listed; further ones are only counted. */
export const LISTED = 20;

/** Result of comparing a table of the source with that of the target. */
export interface Comparison {
  rows: number;
  equal: number;
  missing: number;
  /** Ranges of rows of the source that the target does not have. */
  missingRanges: KeyRange[];
  /** Rows of the source that have other values in the target. */
  different: Row[];
  /** Keys of rows that the source does not have, although they are not newer than its newest. */
  extra: string[];
  /** Number of rows above the source's highest: recorded since. */
  since: number;
  faults: Fault[];
  faultCount: number;
  differences: { key: string; columns: string[] }[];
  /** True if one of the sides has values that cannot be read, so that nothing was compared. */
  isUnreadable: boolean;
}

/** The two sides of a comparison of a table. */
export interface Compared {
  table: CopiedTable;
  source: Reader;
  target: Reader | undefined;
  into: Store;
  /** Absent if the target can hold every character. */
  repertoire?: Repertoire | undefined;
}

/** Compares the rows of a range one by one, values and their types, without writing, and adds the findings. */
export async function compareRows(
  compared: Compared,
  range: KeyRange,
  found: Comparison,
  tell: (done: number) => Promise<void>,
): Promise<void> {
  const { table, source, target, repertoire } = compared;
  const highest = await source.highest(table);
  const order = orderOf(table);
  const rows = source.rows(table, range);
  let run: KeyRange | undefined;
  await mergeJoin(
    telling(repertoire?.learning(rows) ?? rows, () => tell(found.rows)),
    target === undefined ? [] : target.rows(table, range),
    ([ours], [theirs]) => order(ours as string, theirs as string),
    (ours, theirs) => {
      if (ours === undefined) {
        // A range of missing rows may continue after it.
        if (theirs !== undefined) addExtra(found, table, theirs, highest);
        return;
      }
      found.rows += 1;
      addFault(found, compared, ours);
      if (theirs === undefined) {
        const key = ours[0] as string;
        found.missing += 1;
        if (run === undefined) found.missingRanges.push((run = { first: key }));
        run.last = key;
      } else {
        run = undefined;
        addDifference(found, table, ours, theirs);
      }
    },
  );
}

/** The same batches, with a report before each. */
async function* telling(
  batches: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
  tell: () => Promise<void>,
): AsyncGenerator<readonly Row[], void> {
  await tell();
  for await (const batch of batches) {
    yield batch;
    await tell();
  }
}

/** The initial comparison. */
export function nothingCompared(): Comparison {
  return {
    rows: 0,
    equal: 0,
    missing: 0,
    missingRanges: [],
    different: [],
    extra: [],
    since: 0,
    faults: [],
    faultCount: 0,
    differences: [],
    isUnreadable: false,
  };
}

/** Notes a value of the row that the target cannot hold. */
function addFault(found: Comparison, { table, into, repertoire }: Compared, row: Row): void {
  const fault = faultOf(table, row, into, repertoire);
  if (fault === undefined) return;
  found.faultCount += 1;
  if (found.faults.length < LISTED) found.faults.push(fault);
}

function addExtra(found: Comparison, table: CopiedTable, row: Row, highest: bigint | undefined): void {
  const { newest, columns } = table;
  const index = Math.max(
    0,
    columns.findIndex(({ name }) => name === newest.column),
  );
  const key = row[0] as string;
  const number = row[index];
  if (highest === undefined || (/^-?\d+$/.test(number ?? "") && BigInt(number as string) > highest)) found.since += 1;
  else found.extra.push(key);
}

function addDifference(found: Comparison, table: CopiedTable, ours: Row, theirs: Row): void {
  const columns = table.columns.filter((_, index) => ours[index] !== theirs[index]).map(({ name }) => name);
  if (columns.length === 0) {
    found.equal += 1;
    return;
  }
  found.different.push(ours);
  if (found.differences.length < LISTED) found.differences.push({ key: ours[0] as string, columns });
}

/** The order of keys in both databases: numbers by size, text by its bytes in UTF-8. */
function orderOf(table: CopiedTable): (left: string, right: string) => number {
  return keyOf(table).kind === "integer" ? byNumber : byBytes;
}

/** Number of digits that a double holds exactly. */
const EXACT_DIGITS = 15;

function byNumber(left: string, right: string): number {
  if (left === right) return 0;
  if (left.length <= EXACT_DIGITS && right.length <= EXACT_DIGITS) return Number(left) - Number(right);
  return BigInt(left) < BigInt(right) ? -1 : 1;
}

function byBytes(left: string, right: string): number {
  return left === right ? 0 : Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** Compares a table with a target that has no rows of it: all rows are missing, and only faults are searched. */
export async function compareWithNothing(
  compared: Compared,
  found: Comparison,
  tell: (done: number) => Promise<void>,
): Promise<void> {
  const { table, source, repertoire } = compared;
  for await (const { rows, seen } of source.unsupportedCandidates?.(table) ?? everyRow(source, table)) {
    await repertoire?.learn(rows);
    for (const row of rows) addFault(found, compared, row);
    found.rows += seen;
    await tell(found.rows);
  }
  found.missing = found.rows;
  if (found.missing > 0) found.missingRanges.push({});
}

async function* everyRow(source: Reader, table: CopiedTable): AsyncGenerator<Seen, void> {
  for await (const rows of source.rows(table)) yield { rows, seen: rows.length };
}
