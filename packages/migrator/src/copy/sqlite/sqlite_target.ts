import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectory } from "@perdura/internals/files/make_directory.js";
import type { DeclaredKeys } from "@perdura/internals/metrics/keys/declared_keys.js";
import { openMetrics } from "@perdura/internals/metrics/open_metrics.js";
import { createPatternTables, PATTERN_INDEXES } from "@perdura/internals/patterns/sqlite_schema.js";
import { waitWhileBusy } from "@perdura/internals/sqlite/busy.js";
import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import { type Database, openDatabase, type Statement } from "@perdura/internals/sqlite/open_database.js";
import { PlacedFile } from "@perdura/internals/sqlite/placed_file.js";
import { addedByOthers } from "../copy_failure.ts";
import type { Reader, Target } from "../side.ts";
import { type Column, type CopiedTable, keyOf, type Row, type TableName, toSqlite } from "../tables.ts";
import { SqliteReader, combinedReader } from "./sqlite_reader.ts";

/** Number of rows after which a copy commits; a killed copy loses only uncommitted ones. */
const ROWS_PER_COMMIT = 50_000;

/** Paths for patterns and metrics; may be one file. */
export interface SqlitePlaces {
  shown: string;
  patterns: string;
  metrics: string;
}

/** An open database, and its place, where other programs find what is written. */
interface OpenFile {
  database: Database;
  file: PlacedFile;
}

/** One or two SQLite databases as a target. */
export class SqliteTarget implements Target {
  readonly store = "SQLite";
  readonly givesDigests = false;
  readonly place: string;
  readonly #places: SqlitePlaces;
  readonly #busyTimeoutMs: number;
  readonly #open: Map<string, OpenFile> = new Map();

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
    return readers.length === 0 ? Promise.resolve(undefined) : combinedReader(readers, this.place);
  }

  repertoire(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  prepare(tables: readonly CopiedTable[], highest: ReadonlyMap<TableName, bigint>): Promise<void> {
    for (const { name, newest } of tables) {
      const path = this.#pathOf(name);
      makeDirectory(dirname(path));
      if (name === "interactions") this.#prepareMetrics(path);
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
    const path = this.#pathOf(table.name);
    const database = this.#database(path);
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
        if (added - committed < ROWS_PER_COMMIT) continue;
        this.#commit(path);
        committed = added;
      }
      if (database.inTransaction) this.#commit(path);
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
      // Moves the rows to free positions first: two may have exchanged positions.
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

  obstacleToKeys(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  declareKeys(keys: DeclaredKeys): Promise<void> {
    this.#prepareMetrics(this.#pathOf("interactions"), keys);
    return Promise.resolve();
  }

  /** Does nothing: the next collector that opens the file computes the sums. */
  refresh(): Promise<void> {
    return Promise.resolve();
  }

  assertInPlace(): void {
    for (const { file } of this.#open.values()) file.assertAfter();
  }

  close(): Promise<void> {
    for (const { file } of this.#open.values()) file.close();
    return Promise.resolve();
  }

  #prepareMetrics(path: string, keys?: DeclaredKeys): void {
    // The comparison has read the file. Without a write-ahead log its transaction would block the change of the tables.
    if (this.#open.has(path)) this.#database(path);
    openMetrics(path, "level", { busyTimeoutMs: this.#busyTimeoutMs, keys }).close();
    const open = this.#open.get(path);
    if (open === undefined) return;
    open.file.assertBefore();
    // The database may have got a log, which its connection finds when it reads.
    hasTable(open.database, "interactions");
    open.file = new PlacedFile(open.database, path);
  }

  #commit(path: string): void {
    const { database, file } = this.#open.get(path) as OpenFile;
    database.exec("COMMIT");
    file.assertAfter();
  }

  #insert(table: CopiedTable, insert: Statement, written: readonly Written[], row: Row): void {
    try {
      insert.run(...written.map(({ column, index }) => toSqlite(column, row[index] ?? null)));
    } catch (error) {
      if (!String((error as { code?: unknown }).code).startsWith("SQLITE_CONSTRAINT")) throw error;
      const key = row[0] as string;
      // Checks the content before this transaction.
      const there = this.#database(this.#pathOf(table.name))
        .prepare(`SELECT 1 FROM main.${table.name} WHERE ${keyOf(table).name} = ?`)
        .get(toSqlite(keyOf(table), key));
      // It did not exist when the target was compared.
      if (there !== undefined) throw addedByOthers(this.place, error);
      (error as Error).message = `${table.name} ${key.slice(0, 80)}: ${(error as Error).message}`;
      throw error;
    }
  }

  #pathOf(table: TableName): string {
    return table === "patterns" || table === "pattern_usage" ? this.#places.patterns : this.#places.metrics;
  }

  /** Ends a transaction: a read transaction would prevent writing. */
  #database(path: string): Database {
    const { database } = this.#open.get(path) ?? this.#openAt(path);
    if (database.inTransaction) database.exec("ROLLBACK");
    return database;
  }

  #openAt(path: string): OpenFile {
    const database = openDatabase(path, { intent: "record", busyTimeoutMs: this.#busyTimeoutMs });
    const open = { database, file: new PlacedFile(database, path) };
    this.#open.set(path, open);
    return open;
  }
}

/** A column to write: its name, and its index in a row. */
interface Written {
  name: string;
  column: Column;
  index: number;
}

/** The columns of a SQLite table itself, with their names there. */
function writtenColumns({ columns }: CopiedTable): Written[] {
  return columns
    .map((column, index) => ({ name: column.role === "position" ? "rowid" : column.name, column, index }))
    .filter(({ column }) => column.from === undefined);
}

/**
 * Prepares a table of a SQLite database for rows with their ids. Metrics tables exist already.
 *
 * @param above The highest id of these rows. Set before the rows, so that other writers get ids above it.
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
    if (above !== undefined && above > 0n) raiseCounter(database, table, above);
  });
  // Waits for no lock if nothing is missing; a transaction that reads first and then needs the write lock has to start
  // again.
  waitWhileBusy(busyTimeoutMs, prepare);
}

/** Makes new rows of a table with AUTOINCREMENT get ids above a number. */
function raiseCounter(database: Database, table: TableName, above: bigint): void {
  if (!hasTable(database, "sqlite_sequence")) return;
  const counter = database.prepare("SELECT seq >= ? FROM main.sqlite_sequence WHERE name = ?").pluck();
  const isAbove = counter.get(above, table) as 0 | 1 | undefined;
  if (isAbove === 0) database.prepare("UPDATE main.sqlite_sequence SET seq = ? WHERE name = ?").run(above, table);
  if (isAbove === undefined) database.prepare("INSERT INTO main.sqlite_sequence VALUES (?, ?)").run(table, above);
}
