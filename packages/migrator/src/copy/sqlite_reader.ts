import { columnsOf, hasRowid, hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../stop.ts";
import { fromSqlite, ODD, type Row, type SqliteValue, toSqlite } from "./row_values.ts";
import type { KeyRange, Reader } from "./side.ts";
import { type Column, type CopiedTable, keyOf, type TableName } from "./tables.ts";

/** Rows that are in memory at a time. */
const AT_ONCE = 1000;

/** Reads a database; the caller holds a transaction, so that it is all of one moment. */
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
    this.#assertReadable(table);
    const key = keyOf(table);
    const bounds: [string, string][] = [];
    if (range.first !== undefined) bounds.push([">=", range.first]);
    if (range.last !== undefined) bounds.push(["<=", range.last]);
    const where = bounds.map(([than]) => `own.${key.name} ${than} ?`).join(" AND ");
    const select = `SELECT ${table.columns.map(expressionOf).join(", ")} FROM main.${table.name} AS own ${where === "" ? "" : `WHERE ${where}`} ORDER BY own.${key.name}`;
    const found = this.#database
      .prepare(select)
      .raw()
      .safeIntegers(!this.#isExact(table))
      .iterate(...bounds.map(([, value]) => toSqlite(key, value))) as IterableIterator<SqliteValue[]>;
    let batch: Row[] = [];
    for (const values of found) {
      batch.push(this.#rowOf(table, values));
      if (batch.length < AT_ONCE) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  /** Numbers are much faster than bigints: for interactions, whose other integers are small ones. */
  #isExact({ name }: CopiedTable): boolean {
    if (name !== "interactions") return false;
    const ends = this.#database.prepare("SELECT min(id) >= ? AND max(id) <= ? FROM main.interactions").pluck();
    return ends.get(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER) === 1;
  }

  #rowOf(table: CopiedTable, values: SqliteValue[]): Row {
    const { columns } = table;
    const row: (string | null)[] = [];
    for (let index = 0; index < columns.length; index += 1) {
      const column = columns[index] as Column;
      const value = values[index] as SqliteValue;
      const isStrange = typeof value === "string" && value.includes("\ufffd");
      const text = fromSqlite(column, value);
      row.push(isStrange ? this.#decoded(table, column, values, text as string) : text);
    }
    return row;
  }

  /** The driver puts U+FFFD where bytes are no UTF-8; the text may also hold that character itself. */
  #decoded(table: CopiedTable, column: Column, values: SqliteValue[], text: string): string {
    if (column.from !== undefined) return text;
    const bytes = this.#database
      .prepare(`SELECT CAST(${column.name} AS BLOB) FROM main.${table.name} WHERE ${keyOf(table).name} IS ?`)
      .pluck();
    const found = (keyOf(table) === column ? undefined : bytes.get(values[0])) as Buffer | undefined;
    return found?.equals(Buffer.from(text)) === true ? text : `${ODD}text that is not UTF-8`;
  }

  #assertReadable({ name, columns }: CopiedTable): void {
    const present = new Set(columnsOf(this.#database, name).map((column) => column.name.toLowerCase()));
    const lacking = columns.filter(
      (column) => column.from === undefined && column.role === undefined && !present.has(column.name),
    );
    if (lacking.length > 0)
      throw new Stop(
        "refused",
        `${this.place}: the table ${name} lacks ${lacking.map((column) => column.name).join(", ")}.`,
      );
    if (name === "patterns" && !hasRowid(this.#database, name))
      throw new Stop("refused", `${this.place}: the table patterns is WITHOUT ROWID, so that its rows have no order.`);
  }
}

function expressionOf({ name, from, role }: Column): string {
  if (from !== undefined) return from((table) => `main.${table}`);
  return role === "position" ? "own.rowid" : `own.${name}`;
}
