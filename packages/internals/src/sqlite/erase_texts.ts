import { statSync } from "node:fs";
import { BusyError, StorageError } from "../errors/errors.ts";
import { sqlName } from "../text/quoted_sql.ts";
import { isBusy, type Waits } from "./busy.ts";
import { hasTable } from "./catalog.ts";
import { emptyLog } from "./compact.ts";
import { type Leftovers, leftoversOf, withUnusedEnds } from "./leftovers.ts";
import type { Database, Statement } from "./open_database.ts";

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
 * deleted before without overwriting them, by this or another program. A rewrite of the database has none of them. In a
 * large database they are searched instead, in unused pages, between rows, and at the ends of long values.
 *
 * @throws StorageError if a large database would have to be rewritten: that keeps all other programs waiting, so that the
 * caller decides about it.
 */
export function* eraseTexts(erased: ErasedDatabase, erasure: Erasure): Generator<void, void> {
  const { database, path, change } = erased;
  change(() => forgetSamples(database, erasure));
  emptyLogOf(erased, erasure);
  if (path === ":memory:") return;
  yield;
  if (statSync(path).size <= erased.rewrittenUpTo) erasure.rewrite();
  else yield* eraseFound(erased, erasure);
  emptyLogOf(erased, erasure);
}

function* eraseFound(erased: ErasedDatabase, erasure: Erasure): Generator<void, void> {
  const { database, path, change } = erased;
  const found = leftoversOf(path, erasure.text);
  yield;
  if (found.isInUnusedPages) yield* overwriteUnusedPages(erased, erasure);
  const owners = ownersOf(erased, found, erasure);
  if (owners.some(({ type }) => type === "table")) throw tooLarge(path, erasure);
  for (const { name } of owners) {
    change(() => database.exec(`REINDEX main.${sqlName(name)}`));
    yield;
  }
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

/** The tables and indexes with content that belongs to no row any more. */
function ownersOf({ database, path }: ErasedDatabase, { pages }: Leftovers, { tables, values }: Erasure): Owner[] {
  const objects = database
    .prepare("SELECT name, type, tbl_name AS of FROM main.sqlite_schema WHERE type IN ('table', 'index')")
    .all() as (Owner & { of: string })[];
  const pagesOf = database
    .prepare("SELECT pageno, iif(pagetype = 'overflow', unused, 0) FROM dbstat WHERE name = ?")
    .raw() as Statement<[string], [number, number]>;
  return withUnusedEnds(path, (hasContentAtEnd) => {
    const hasLeftovers = ({ name }: Owner): boolean => {
      const mayBeAnything = values?.test(name) === true;
      for (const [page, unused] of pagesOf.iterate(name)) {
        if (pages.get(page) === true || (mayBeAnything && pages.has(page))) return true;
        if (unused > 0 && hasContentAtEnd(page, unused)) return true;
      }
      return false;
    };
    return objects.filter((object) => tables.test(object.of) && hasLeftovers(object));
  });
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
