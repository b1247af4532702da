import type { Repertoire, Store } from "./faults.ts";
import type { Unreadable } from "./postgres/server_encoding.ts";
import type { CopiedTable, Row, TableName } from "./tables.ts";

/** Where rows are read from, as they were at one moment. */
export interface Reader {
  store: Store;
  /** As messages name it. */
  place: string;
  /** False where there is nothing of this kind, not even an empty table. */
  has(table: TableName): Promise<boolean>;
  count(table: TableName): Promise<number>;
  /** The highest value of a column of whole numbers; undefined for an empty table. */
  highest(table: CopiedTable): Promise<bigint | undefined>;
  /** In the order of the key, some at a time. */
  rows(table: CopiedTable, range?: KeyRange): AsyncIterable<readonly Row[]>;
  /** Rows of which the other side may not hold every value, and more; absent where that is as quick to see from all rows. */
  doubtful?(table: CopiedTable): AsyncIterable<Seen>;
  /** Values that cannot be read, which would end the reading of their table; absent where there is none. */
  unreadable?(table: CopiedTable): Promise<Unreadable>;
  /** SHA-256 of the rows' texts (`record_text.ts`) in hexadecimal digits; absent where the rows are as quick to read. */
  digest?(table: CopiedTable, range: KeyRange): Promise<string>;
}

/** Some of the rows that were looked at, and how many these were. */
export interface Seen {
  rows: readonly Row[];
  seen: number;
}

/** Where rows go. */
export interface Target {
  store: Store;
  place: string;
  /** Whether its reader gives digests, so that it is worth while to note those of what is written. */
  givesDigests: boolean;
  /** What is there now; undefined where nothing was created yet. */
  reader(): Promise<Reader | undefined>;
  /** Tells the characters that it can hold; undefined where that is all of them. */
  repertoire(): Promise<Repertoire | undefined>;
  /** Creates the tables that are missing, and the counters of ids go above the highest of the source. */
  prepare(tables: readonly CopiedTable[], highest: ReadonlyMap<TableName, bigint>): Promise<void>;
  /** Adds rows that are not there, and tells how many so far. What is committed stays when the rest fails. */
  add(table: CopiedTable, rows: AsyncIterable<readonly Row[]>, tell: (added: number) => Promise<void>): Promise<void>;
  /** Makes rows that are there equal to these. They go away first where others refer to nothing in them. */
  change(table: CopiedTable, rows: readonly Row[]): Promise<void>;
  /** Removes rows, and those that refer to them. */
  remove(table: CopiedTable, keys: readonly string[]): Promise<void>;
  /** After rows were added or changed: brings up to date what is kept beside them, while others read them. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** Rows by their keys; whatever bound is absent, they go on that way to the end. */
export interface KeyRange {
  /** The lowest key. */
  first?: string | undefined;
  /** The highest key. */
  last?: string | undefined;
  /** A key below all of them. */
  after?: string | undefined;
  /** A key above all of them. */
  before?: string | undefined;
}

/** The comparisons that a key in a range passes, in SQL. */
export function boundsOf({ first, last, after, before }: KeyRange): { than: string; key: string }[] {
  return [
    { than: ">=", key: first },
    { than: "<=", key: last },
    { than: ">", key: after },
    { than: "<", key: before },
  ].filter((bound): bound is { than: string; key: string } => bound.key !== undefined);
}
