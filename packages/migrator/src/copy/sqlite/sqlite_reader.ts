import { type DeclaredKeys, declaredKeys, NO_KEYS } from "@perdura/internals/metrics/keys/declared_keys.js";
import { columnsOf, hasRowid, hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../../core/stop.ts";
import { boundsOf, type KeyRange, type Reader, type Seen } from "../side.ts";
import {
  type Column,
  type CopiedTable,
  fromSqlite,
  keyOf,
  WRONG_TYPE,
  type Row,
  type SqliteValue,
  type TableName,
  TABLES,
  toSqlite,
} from "../tables.ts";

/** Reads a database; the caller's transaction makes it one snapshot. */
export class SqliteReader implements Reader {
  readonly store = "SQLite";
  readonly place: string;
  readonly #database: Database;

  constructor(database: Database, place: string) {
    this.#database = database;
    this.place = place;
  }

  has(table: TableName): Promise<boolean> {
    return Promise.resolve(hasTable(this.#database, table));
  }

  async count(table: TableName): Promise<number> {
    if (!(await this.has(table))) return 0;
    return this.#database.prepare(`SELECT count(*) FROM main.${table}`).pluck().get() as number;
  }

  async highest({ newest }: CopiedTable): Promise<bigint | undefined> {
    if (!(await this.has(newest.of))) return undefined;
    const column = newest.column === "position" ? "rowid" : newest.column;
    const text = this.#database.prepare(`SELECT CAST(max(${column}) AS TEXT) FROM main.${newest.of}`).pluck().get() as
      | string
      | null;
    return text === null ? undefined : BigInt(text);
  }

  async *rows(table: CopiedTable, range: KeyRange = {}): AsyncGenerator<readonly Row[], void> {
    if (!(await this.has(table.name))) return;
    const key = keyOf(table);
    const bounds = boundsOf(range);
    yield* sqliteRows(this.#database, this.place, table, {
      where: bounds.map(({ than }) => `own.${key.name} ${than} ?`).join(" AND "),
      values: bounds.map((bound) => toSqlite(key, bound.key)),
    });
  }

  async *unsupportedCandidates(table: CopiedTable): AsyncGenerator<Seen, void> {
    if (await this.has(table.name)) yield* unsupportedCandidates(this.#database, this.place, table);
  }

  declaredKeys(): Promise<DeclaredKeys> {
    return Promise.resolve(declaredKeys(this.#database));
  }
}

/** Number of rows in memory at a time; fewer if they are large. */
const AT_ONCE = 1000;
const CHARACTERS_AT_ONCE = 1 << 20;

/** Selects rows: a condition about `own`, empty for all. */
interface Selection {
  where: string;
  values: readonly (bigint | number | string | null)[];
}

/**
 * Yields the rows of a table, sorted by key.
 *
 * @throws Stop if the table lacks a column.
 */
export function* sqliteRows(
  database: Database,
  place: string,
  table: CopiedTable,
  { where, values }: Selection,
): Generator<readonly Row[], void> {
  assertReadable(database, place, table);
  const found = database
    .prepare(
      `SELECT ${table.columns.map(expressionOf).join(", ")} FROM main.${table.name} AS own
       ${where === "" ? "" : `WHERE ${where}`} ORDER BY own.${keyOf(table).name}`,
    )
    .raw()
    .safeIntegers(!isExact(database, table))
    .iterate(...values) as IterableIterator<SqliteValue[]>;
  let batch: Row[] = [];
  let characters = 0;
  for (const raw of found) {
    const row = rowOf(database, table, raw);
    batch.push(row);
    for (const text of row) characters += text?.length ?? 0;
    if (batch.length < AT_ONCE && characters < CHARACTERS_AT_ONCE) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

/**
 * True if plain numbers are exact, which are much faster than bigints: for interactions, whose other integers are
 * small. One query for each end, which SQLite answers without a scan.
 */
function isExact(database: Database, { name }: CopiedTable): boolean {
  if (name !== "interactions") return false;
  const ends = database
    .prepare("SELECT (SELECT min(id) FROM main.interactions) >= ? AND (SELECT max(id) FROM main.interactions) <= ?")
    .pluck();
  return ends.get(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER) === 1;
}

function rowOf(database: Database, table: CopiedTable, values: SqliteValue[]): Row {
  const { columns } = table;
  const row: (string | null)[] = [];
  for (let index = 0; index < columns.length; index += 1) {
    const column = columns[index] as Column;
    const value = values[index] as SqliteValue;
    const isStrange = typeof value === "string" && value.includes("\ufffd");
    const text = fromSqlite(column, value);
    row.push(isStrange ? decoded(database, table, column, values, text as string) : text);
  }
  return row;
}

/** The driver replaces invalid UTF-8 by U+FFFD; the text may also contain that character itself. */
function decoded(database: Database, table: CopiedTable, column: Column, values: SqliteValue[], text: string): string {
  if (column.from !== undefined) return text;
  const bytes = database
    .prepare(`SELECT CAST(${column.name} AS BLOB) FROM main.${table.name} WHERE ${keyOf(table).name} IS ?`)
    .pluck();
  const found = (keyOf(table) === column ? undefined : bytes.get(values[0])) as Buffer | undefined;
  return found?.equals(Buffer.from(text)) === true ? text : `${WRONG_TYPE}text that is not UTF-8`;
}

/** @throws Stop if its rows cannot be read as those of 16. */
function assertReadable(database: Database, place: string, { name, columns }: CopiedTable): void {
  const present = new Set(columnsOf(database, name).map((column) => column.name.toLowerCase()));
  const lacking = columns.filter(
    (column) => column.from === undefined && column.role === undefined && !present.has(column.name),
  );
  if (lacking.length > 0)
    throw new Stop("refused", `${place}: the table ${name} lacks ${lacking.map((column) => column.name).join(", ")}.`);
  if (name === "patterns" && !hasRowid(database, name))
    throw new Stop("refused", `${place}: the table patterns is WITHOUT ROWID, so its rows have no order.`);
}

function expressionOf({ name, from, role }: Column): string {
  if (from !== undefined) return from((table) => `main.${table}`);
  return role === "position" ? "own.rowid" : `own.${name}`;
}

/** Number of rows that SQLite tests at a time: one statement for all could not report progress or be interrupted. */
const TESTED_AT_ONCE = 100_000;
/** A number below every rowid. */
const BELOW_ALL = -1e19;

/** Yields rows of which another store may not hold every value. */
export function* unsupportedCandidates(
  database: Database,
  place: string,
  table: CopiedTable,
  atOnce: number = TESTED_AT_ONCE,
): Generator<Seen, void> {
  assertReadable(database, place, table);
  const condition = plainCondition(table);
  if (condition === undefined || !hasRowid(database, table.name)) {
    for (const rows of sqliteRows(database, place, table, { where: "", values: [] })) yield { rows, seen: rows.length };
    return;
  }
  const part = database
    .prepare(
      `SELECT max(rowid), count(*) FROM (SELECT rowid FROM main.${table.name} WHERE rowid > ? ORDER BY rowid LIMIT ${atOnce})`,
    )
    .raw()
    .safeIntegers();
  const where = `own.rowid > ? AND own.rowid <= ? AND (${condition}) IS NOT TRUE`;
  for (let after: bigint | number = BELOW_ALL; ;) {
    const [last, seen] = part.get(after) as [bigint | null, bigint];
    if (last === null) return;
    for (const rows of sqliteRows(database, place, table, { where, values: [after, last] })) yield { rows, seen: 0 };
    yield { rows: [], seen: Number(seen) };
    after = last;
  }
}

/**
 * A condition in SQL that is true only for rows of which every store holds every value; the other rows have to be
 * checked. SQLite tests a million rows in a third of the time of reading them.
 *
 * @returns Undefined for tables with values that SQL cannot check.
 */
function plainCondition({ columns }: CopiedTable): string | undefined {
  const conditions = columns.map(plainValue);
  return conditions.includes(undefined) ? undefined : conditions.join(" AND ");
}

function plainValue({ name, kind, required, from }: Column): string | undefined {
  if (from !== undefined) return undefined;
  const value = `own.${name}`;
  const type = `typeof(${value})`;
  const plain = { integer: `${type} = 'integer'`, real: `${type} = 'real'` };
  const condition = {
    ...plain,
    boolean: `(${plain.integer} AND ${value} IN (0, 1))`,
    level: `(${plain.integer} AND ${value} BETWEEN -2147483648 AND 2147483647)`,
    // Printable ASCII; the length of a text ends at a NUL character, that of its bytes does not.
    text: `(${type} = 'text' AND ${value} NOT GLOB '*[^ -~]*' AND length(${value}) = octet_length(${value}))`,
    json: undefined,
  }[kind === "time" ? "text" : kind];
  if (condition === undefined || required) return condition;
  return `(${value} IS NULL OR ${condition})`;
}

/**
 * Combines several databases.
 *
 * @throws Stop if two of them have the same table.
 */
export async function combinedReader(readers: readonly SqliteReader[], place: string): Promise<Reader> {
  const homes = new Map<TableName, SqliteReader>();
  for (const { name } of TABLES) {
    for (const reader of readers) {
      if (!(await reader.has(name))) continue;
      const other = homes.get(name);
      if (other !== undefined)
        throw new Stop(
          "refused",
          `${other.place} and ${reader.place} both have a table ${name}. Specify only one of them.`,
        );
      homes.set(name, reader);
    }
  }
  return {
    store: "SQLite",
    place,
    has: (table) => Promise.resolve(homes.has(table)),
    count: async (table) => (await homes.get(table)?.count(table)) ?? 0,
    highest: async (table) => homes.get(table.newest.of)?.highest(table),
    rows: (table: CopiedTable, range) => homes.get(table.name)?.rows(table, range) ?? none(),
    unsupportedCandidates: (table) => homes.get(table.name)?.unsupportedCandidates(table) ?? none(),
    declaredKeys: async () => (await homes.get("interactions")?.declaredKeys()) ?? NO_KEYS,
  };
}

async function* none(): AsyncGenerator<never, void> {
  // No rows.
}
