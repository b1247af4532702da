import type { DeclaredKeys } from "@perdura/internals/metrics/keys/declared_keys.js";
import type { Repertoire, Store } from "./faults.ts";
import type { CopiedTable, Row, TableName } from "./tables.ts";

/** A value that PostgreSQL cannot convert to UTF-8. */
interface UnreadableValue {
  key: string;
  column: string;
}

/** Values of a table that PostgreSQL cannot convert to UTF-8: number of rows that have one, and the first of them. */
export interface Unreadable {
  rows: number;
  first: UnreadableValue[];
}

/** Source of rows, in one snapshot. */
export interface Reader {
  store: Store;
  /** Name of the place for messages. */
  place: string;
  /** False if not even an empty table exists. */
  has(table: TableName): Promise<boolean>;
  count(table: TableName): Promise<number>;
  /** The highest value of an integer column; undefined for an empty table. */
  highest(table: CopiedTable): Promise<bigint | undefined>;
  /** Yields batches of rows, sorted by key. */
  rows(table: CopiedTable, range?: KeyRange): AsyncIterable<readonly Row[]>;
  /** Yields at least all rows with a value that the target may not hold; absent if checking all rows is as fast. */
  unsupportedCandidates?(table: CopiedTable): AsyncIterable<Seen>;
  /** Values that cannot be read and would end the reading of their table; absent if there cannot be any. */
  unreadable?(table: CopiedTable): Promise<Unreadable>;
  /** SHA-256 of the rows' texts (see `recordText`) in hexadecimal digits; absent if reading the rows is as fast. */
  digest?(table: CopiedTable, range: KeyRange): Promise<string>;
  /** The keys of metadata that are declared for breakdowns. */
  declaredKeys(): Promise<DeclaredKeys>;
}

/** A part of the checked rows, and the number of all of these. */
export interface Seen {
  rows: readonly Row[];
  seen: number;
}

/** Destination of rows. */
export interface Target {
  store: Store;
  place: string;
  /** True if its reader computes digests, so that recording those of written rows is useful. */
  givesDigests: boolean;
  /** A reader for the present content; undefined if nothing was created yet. */
  reader(): Promise<Reader | undefined>;
  /** The characters that it can hold; undefined if it can hold all. */
  repertoire(): Promise<Repertoire | undefined>;
  /**
   * Creates missing tables, and moves the counters of ids above the highest id of the source.
   *
   * @param interactions Number of interactions that will be added.
   */
  prepare(tables: readonly CopiedTable[], highest: ReadonlyMap<TableName, bigint>, interactions: number): Promise<void>;
  /** Adds missing rows, and reports their number. Committed rows stay after a failure. */
  add(table: CopiedTable, rows: AsyncIterable<readonly Row[]>, tell: (added: number) => Promise<void>): Promise<void>;
  /** Makes existing rows equal to these. A target may remove them first, to be added again. */
  change(table: CopiedTable, rows: readonly Row[]): Promise<void>;
  /** Removes rows, and those that refer to them. */
  remove(table: CopiedTable, keys: readonly string[]): Promise<void>;
  /** Tells why no keys of metadata can be declared; undefined if they can. */
  obstacleToKeys(): Promise<"not_permitted" | undefined>;
  /** Declares keys of metadata for breakdowns. */
  declareKeys(keys: DeclaredKeys): Promise<void>;
  /** Updates derived data after rows were added or changed, while they are being read. */
  refresh(): Promise<void>;
  /**
   * Absent if the connection itself notices that its data are gone.
   *
   * @throws StorageError if other programs do not find the compared rows at the place any more.
   */
  assertInPlace?(): void;
  close(): Promise<void>;
}

/** A range of keys; without a bound it is open on that side. */
export interface KeyRange {
  /** The lowest key, included. */
  first?: string | undefined;
  /** The highest key, included. */
  last?: string | undefined;
  /** A lower bound, excluded. */
  after?: string | undefined;
  /** An upper bound, excluded. */
  before?: string | undefined;
}

/** The conditions for a key in a range, in SQL. */
export function boundsOf({ first, last, after, before }: KeyRange): { than: string; key: string }[] {
  return [
    { than: ">=", key: first },
    { than: "<=", key: last },
    { than: ">", key: after },
    { than: "<", key: before },
  ].filter((bound): bound is { than: string; key: string } => bound.key !== undefined);
}
