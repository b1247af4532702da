import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectory } from "@perdura/internals/files/make_directory.js";
import { openMetrics } from "@perdura/internals/metrics/open_metrics.js";
import { createPatternTables, PATTERN_INDEXES } from "@perdura/internals/patterns/sqlite_schema.js";
import { waitWhileBusy } from "@perdura/internals/sqlite/busy.js";
import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import { type Database, openDatabase, type Statement } from "@perdura/internals/sqlite/open_database.js";
import { addedByOthers } from "../copy_failure.ts";
import type { Reader, Target } from "../side.ts";
import { type Column, type CopiedTable, keyOf, type Row, type TableName, toSqlite } from "../tables.ts";
import { SqliteReader, unitedReader } from "./sqlite_reader.ts";

/** Rows that are committed at once: what is lost when a copy is killed. */
const COMMITTED_AT_ONCE = 50_000;

/** Where patterns and metrics go; may be one file. */
export interface SqlitePlaces {
  shown: string;
  patterns: string;
  metrics: string;
}

/** One or two SQLite databases as a target. */
export class SqliteTarget implements Target {
  readonly store = "SQLite";
  readonly givesDigests = false;
  readonly place: string;
  readonly #places: SqlitePlaces;
  readonly #busyTimeoutMs: number;
  readonly #open: Map<string, Database> = new Map();

  constructor(places: SqlitePlaces, busyTimeoutMs: number) {
    this.#places = places;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.place = places.shown;
  }

  reader(): Promise<Reader | undefined> {
    const { patterns, metrics } = this.#places;
    const readers = [...new Set([patterns, metrics])]
      .filter((path) => this.#open.has(path) || existsSync(path))
      .map((path) => {
        const database = this.#database(path);
        database.exec("BEGIN");
        return new SqliteReader(database, path);
      });
    return readers.length === 0 ? Promise.resolve(undefined) : unitedReader(readers, this.place);
  }

  repertoire(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  prepare(tables: readonly CopiedTable[], highest: ReadonlyMap<TableName, bigint>): Promise<void> {
    for (const { name, newest } of tables) {
      const path = this.#pathOf(name);
      makeDirectory(dirname(path));
      if (name === "interactions") openMetrics(path, "level", { busyTimeoutMs: this.#busyTimeoutMs }).close();
      const above = newest.of === name && newest.column === "id" ? highest.get(name) : undefined;
      prepareTable(this.#database(path), path, name, above, this.#busyTimeoutMs);
    }
    return Promise.resolve();
  }

  async add(
    table: CopiedTable,
    rows: AsyncIterable<readonly Row[]>,
    tell: (added: number) => Promise<void>,
  ): Promise<void> {
    const database = this.#database(this.#pathOf(table.name));
    const written = writtenColumns(table);
    const insert = database.prepare(
      `INSERT INTO main.${table.name} (${written.map(({ name }) => name).join(", ")}) VALUES (${written.map(() => "?").join(", ")})`,
    );
    let added = 0;
    let committed = 0;
    try {
      for await (const batch of rows) {
        if (!database.inTransaction) database.exec("BEGIN IMMEDIATE");
        for (const row of batch) this.#insert(table, insert, written, row);
        added += batch.length;
        await tell(added);
        if (added - committed < COMMITTED_AT_ONCE) continue;
        database.exec("COMMIT");
        committed = added;
      }
      if (database.inTransaction) database.exec("COMMIT");
    } finally {
      if (database.inTransaction) database.exec("ROLLBACK");
    }
  }

  change(table: CopiedTable, rows: readonly Row[]): Promise<void> {
    if (table.name !== "patterns")
      return this.remove(
        table,
        rows.map(([key]) => key as string),
      );
    const database = this.#database(this.#pathOf(table.name));
    const written = writtenColumns(table);
    database.transaction(() => {
      // Out of the way of each other: two may have changed places.
      const away = database.prepare(
        "UPDATE main.patterns SET rowid = (SELECT max(rowid) FROM main.patterns) + 1 WHERE id = ?",
      );
      for (const [id] of rows) away.run(id);
      const set = database.prepare(
        `UPDATE main.patterns SET ${written.map(({ name }) => `${name} = ?`).join(", ")} WHERE id = ?`,
      );
      for (const row of rows)
        set.run(...written.map(({ column, index }) => toSqlite(column, row[index] ?? null)), row[0]);
    })();
    return Promise.resolve();
  }

  remove(table: CopiedTable, keys: readonly string[]): Promise<void> {
    const key = keyOf(table);
    const database = this.#database(this.#pathOf(table.name));
    database.transaction(() => {
      if (table.name === "patterns") {
        const usage = database.prepare("DELETE FROM main.pattern_usage WHERE pattern_id = ?");
        for (const id of keys) usage.run(id);
      }
      const gone = database.prepare(`DELETE FROM main.${table.name} WHERE ${key.name} = ?`);
      for (const text of keys) gone.run(toSqlite(key, text));
    })();
    return Promise.resolve();
  }

  /** A collector that opens the file keeps its sums; it makes them with the first question. */
  refresh(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    for (const database of this.#open.values()) database.close();
    return Promise.resolve();
  }

  #insert(table: CopiedTable, insert: Statement, written: readonly Written[], row: Row): void {
    try {
      insert.run(...written.map(({ column, index }) => toSqlite(column, row[index] ?? null)));
    } catch (error) {
      if (!String((error as { code?: unknown }).code).startsWith("SQLITE_CONSTRAINT")) throw error;
      const key = row[0] as string;
      // Without what this transaction has added itself.
      const there = this.#database(this.#pathOf(table.name))
        .prepare(`SELECT 1 FROM main.${table.name} WHERE ${keyOf(table).name} = ?`)
        .get(toSqlite(keyOf(table), key));
      // It was not there when the target was compared.
      if (there !== undefined) throw addedByOthers(this.place, error);
      (error as Error).message = `${table.name} ${key.slice(0, 80)}: ${(error as Error).message}`;
      throw error;
    }
  }

  #pathOf(table: TableName): string {
    return table === "patterns" || table === "pattern_usage" ? this.#places.patterns : this.#places.metrics;
  }

  /** Not in a transaction: one that only read would be in the way of writing. */
  #database(path: string): Database {
    const database =
      this.#open.get(path) ?? openDatabase(path, { access: "create", busyTimeoutMs: this.#busyTimeoutMs });
    this.#open.set(path, database);
    if (database.inTransaction) database.exec("ROLLBACK");
    return database;
  }
}

/** A column that is written: what it is called, and where it stands in a row. */
interface Written {
  name: string;
  column: Column;
  index: number;
}

/** The columns that a table of SQLite has itself, and what they are called there. */
function writtenColumns({ columns }: CopiedTable): Written[] {
  return columns
    .map((column, index) => ({ name: column.role === "position" ? "rowid" : column.name, column, index }))
    .filter(({ column }) => column.from === undefined);
}

/**
 * Makes a table of a database in SQLite ready for rows that come with their ids. Metrics are there already.
 *
 * @param above The highest id that comes. Set before the rows: who records meanwhile gets ids above it.
 */
function prepareTable(
  database: Database,
  path: string,
  table: TableName,
  above: bigint | undefined,
  busyTimeoutMs: number,
): void {
  const prepare = database.transaction(() => {
    if (table === "patterns") {
      createPatternTables(database, path);
      for (const index of Object.values(PATTERN_INDEXES)) database.exec(index);
    }
    if (above !== undefined && above > 0n) countFrom(database, table, above);
  });
  // Where nothing is missing nobody is waited for; who first reads and then wants to write has to begin again.
  waitWhileBusy(busyTimeoutMs, prepare);
}

/** Lets new rows of a table that numbers them (AUTOINCREMENT) begin above an id. */
function countFrom(database: Database, table: TableName, above: bigint): void {
  if (!hasTable(database, "sqlite_sequence")) return;
  const counter = database.prepare("SELECT seq >= ? FROM main.sqlite_sequence WHERE name = ?").pluck();
  const isAbove = counter.get(above, table) as 0 | 1 | undefined;
  if (isAbove === 0) database.prepare("UPDATE main.sqlite_sequence SET seq = ? WHERE name = ?").run(above, table);
  if (isAbove === undefined) database.prepare("INSERT INTO main.sqlite_sequence VALUES (?, ?)").run(table, above);
}
