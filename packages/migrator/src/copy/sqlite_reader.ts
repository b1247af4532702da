import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { doubtfulRows } from "./doubtful_rows.ts";
import { boundsOf, type KeyRange } from "./key_range.ts";
import { type Row, toSqlite } from "./row_values.ts";
import type { Reader, Seen } from "./side.ts";
import { sqliteRows } from "./sqlite_rows.ts";
import { type CopiedTable, keyOf, type TableName } from "./tables.ts";

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
    const key = keyOf(table);
    const bounds = boundsOf(range);
    yield* sqliteRows(this.#database, this.place, table, {
      where: bounds.map(({ than }) => `own.${key.name} ${than} ?`).join(" AND "),
      values: bounds.map((bound) => toSqlite(key, bound.key)),
    });
  }

  async *doubtful(table: CopiedTable): AsyncGenerator<Seen, void> {
    if (await this.has(table.name)) yield* doubtfulRows(this.#database, this.place, table);
  }
}
