import { statSync } from "node:fs";
import { BusyError, StorageError } from "../errors/errors.ts";
import { sqlName } from "../text/quoted_sql.ts";
import { isBusy, type Waits } from "./busy.ts";
import { hasTable } from "./catalog.ts";
import { emptyLog } from "./compact.ts";
import { type Leftovers, leftoversOf } from "./leftovers.ts";
import type { Database } from "./open_database.ts";

/** A database with the settings for erasing. */
export interface ErasedDatabase {
  database: Database;
  path: string;
  waits: Waits;
  /** Size in bytes up to which the database may be rewritten as a whole. */
  rewrittenUpTo: number;
  /** Stores the changes of `work`, or none; afterwards they are in the file at the path. */
  change<Result>(work: () => Result): Result;
}

/** Unused pages that one step overwrites. */
const PAGES_AT_ONCE = 2000;

/** Content to erase, and ways to do it. */
export interface Erasure {
  /** The deleted rows, in the plural, for messages. */
  what: string;
  /** A text that the deleted rows had; empty for any content. */
  text: string;
  /** Tables that had it. */
  tables: RegExp;
  /** Tables and indexes of them that may have left more than the text. */
  values?: RegExp;
  /** Stores a change of the schema that changes no row. */
  changeSchema(work: () => void): void;
  /** Rewrites the database. */
  rewrite(): void;
}

/**
 * Overwrites what SQLite left of deleted rows, and empties the log. With `secure_delete`, the rows that the caller has
 * deleted are overwritten already. Left are copies that SQLite made while it moved rows between pages, and rows that were
 * deleted before without overwriting them, by this or another program.
 *
 * @throws StorageError if a large database would have to be rewritten: that keeps all other programs waiting, so that the
 * caller decides about it.
 */
export function* eraseTexts(erased: ErasedDatabase, erasure: Erasure): Generator<void, void> {
  const { database, path, change } = erased;
  change(() => forgetSamples(database, erasure));
  emptyLogOf(erased, erasure);
  if (path === ":memory:") return;
  const found = leftoversOf(path, erasure.text);
  yield;
  if (found.isInUnusedPages) yield* overwriteUnusedPages(erased, erasure);
  for (const owner of ownersOf(database, found, erasure)) {
    if (owner.type === "index") change(() => database.exec(`REINDEX main.${sqlName(owner.name)}`));
    else if (statSync(path).size > erased.rewrittenUpTo) throw tooLarge(path, erasure);
    else erasure.rewrite();
    yield;
  }
  emptyLogOf(erased, erasure);
}

/** @throws BusyError if a reader keeps the log. */
function emptyLogOf({ database, path, waits }: ErasedDatabase, { what }: Erasure): void {
  try {
    emptyLog(database, waits);
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new BusyError(
      `the ${what} were deleted, but the log still has copies of them, because another program reads the database. Call again when it has finished.`,
      { path, mayBeWritten: true },
    );
  }
}

/** Samples of the content of indexes, which `ANALYZE` makes. */
function forgetSamples(database: Database, { tables }: Erasure): void {
  if (!hasTable(database, "sqlite_stat4")) return;
  const remove = database.prepare("DELETE FROM sqlite_stat4 WHERE tbl = ?");
  const sampled = database.prepare("SELECT DISTINCT tbl FROM sqlite_stat4").pluck().all() as string[];
  for (const table of sampled.filter((name) => tables.test(name))) remove.run(table);
}

interface Owner {
  name: string;
  type: "table" | "index";
}

/** The index or table to rewrite; all indexes, unless a table is among them, whose rewrite includes them. */
function ownersOf(database: Database, { pages }: Leftovers, { tables, values }: Erasure): Owner[] {
  if (pages.size === 0) return [];
  const names = new Set<string>();
  const each = database.prepare("SELECT pageno, name FROM dbstat").raw().iterate() as Iterable<[number, string]>;
  for (const [page, name] of each)
    if (pages.get(page) === true || (pages.has(page) && values?.test(name) === true)) names.add(name);
  const objects = database
    .prepare("SELECT name, type, tbl_name AS of FROM main.sqlite_schema WHERE type IN ('table', 'index')")
    .all() as (Owner & { of: string })[];
  const ours = objects.filter(({ name, of }) => names.has(name) && tables.test(of));
  const ofTables = ours.filter(({ type }) => type === "table");
  return ofTables.length > 0 ? ofTables.slice(0, 1) : ours;
}

/** Fills the unused pages with zeros, some at a time, and makes them unused again. */
function* overwriteUnusedPages({ database, change }: ErasedDatabase, { changeSchema }: Erasure): Generator<void, void> {
  const unused = (): number => database.pragma("freelist_count", { simple: true }) as number;
  const pageSize = database.pragma("page_size", { simple: true }) as number;
  changeSchema(() =>
    database.exec("DROP TABLE IF EXISTS main.perdura_zeros; CREATE TABLE main.perdura_zeros (zeros BLOB NOT NULL)"),
  );
  const fill = database.prepare("INSERT INTO perdura_zeros VALUES (zeroblob(?))");
  for (let left = unused(); left > 0;) {
    change(() => fill.run(Math.min(left, PAGES_AT_ONCE) * pageSize));
    const now = unused();
    if (now >= left) break;
    left = now;
    yield;
  }
  // Only zeros become unused: they need not be overwritten.
  database.exec("PRAGMA secure_delete = OFF");
  changeSchema(() => database.exec("DROP TABLE main.perdura_zeros"));
  database.exec("PRAGMA secure_delete = ON");
}

function tooLarge(path: string, { what }: Erasure): StorageError {
  return new StorageError(
    `the ${what} were deleted and overwritten, but pages of the database still have parts of rows that were deleted before, without overwriting them. Overwriting these rewrites the whole database, which other programs wait for: run \`perdura-migrate compact\`, or call compact() of a collector.`,
    { path, mayBeWritten: true },
  );
}
