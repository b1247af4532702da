import { statSync } from "node:fs";
import { BusyError, StorageError } from "../../errors/errors.ts";
import { hasTable } from "../../sqlite/catalog.ts";
import { isBusy, type Waits } from "../../sqlite/busy.ts";
import { type Compacted, emptyLog, rewrite } from "../../sqlite/compact.ts";
import { type Leftovers, leftoversOf } from "../../sqlite/leftovers.ts";
import type { Database } from "../../sqlite/open_database.ts";
import { sqlName } from "../../text/quoted_sql.ts";
import { declareRollupReady, isRollupReady } from "../rollup/handover.ts";
import type { RowsToDelete } from "./deletion_arguments.ts";

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

/**
 * Overwrites what SQLite left of deleted rows, and empties the log. With `secure_delete`, the rows that the caller has
 * deleted are overwritten already. Left are copies that SQLite made while it moved rows between pages, and rows that were
 * deleted before without overwriting them, by this or another program.
 *
 * @throws StorageError if a large database would have to be rewritten: that keeps all other programs waiting, so that the
 * caller decides about it.
 */
export function* eraseLeftovers(erased: ErasedDatabase, rows: RowsToDelete): Generator<void, void> {
  const { database, path, change } = erased;
  change(() => forgetSamples(database));
  emptyLogOf(erased);
  if (path === ":memory:") return;
  // The rows of all users may have left something anywhere.
  const found = leftoversOf(path, rows.before === undefined ? (rows.userId ?? "") : "");
  yield;
  if (found.isInUnusedPages) yield* overwriteUnusedPages(erased);
  for (const owner of ownersOf(database, found)) {
    if (owner.type === "index") change(() => database.exec(`REINDEX main.${sqlName(owner.name)}`));
    else if (statSync(path).size > erased.rewrittenUpTo) throw tooLarge(path);
    else rewriteKeepingSums(erased);
    yield;
  }
  emptyLogOf(erased);
}

/** @throws BusyError if a reader keeps the log. */
function emptyLogOf({ database, path, waits }: ErasedDatabase): void {
  try {
    emptyLog(database, waits);
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new BusyError(
      "the interactions were deleted, but the log still has copies of them, because another program reads the database. Call again when it has finished.",
      { path, mayBeWritten: true },
    );
  }
}

/** Samples of the content of indexes, which `ANALYZE` makes. */
function forgetSamples(database: Database): void {
  if (hasTable(database, "sqlite_stat4"))
    database.exec("DELETE FROM sqlite_stat4 WHERE tbl IN ('interactions') OR tbl LIKE 'perdura\\_%' ESCAPE '\\'");
}

interface Owner {
  name: string;
  type: "table" | "index";
}

/**
 * The index or table of the metrics to rewrite; all indexes, unless a table is among them, whose rewrite includes them.
 * The id of a user is in the rows of interactions and of sums, and in indexes; metadata may be anything.
 */
function ownersOf(database: Database, { pages }: Leftovers): Owner[] {
  if (pages.size === 0) return [];
  const names = new Set<string>();
  const each = database.prepare("SELECT pageno, name FROM dbstat").raw().iterate() as Iterable<[number, string]>;
  for (const [page, name] of each)
    if (pages.get(page) === true || (pages.has(page) && HAS_METADATA.test(name))) names.add(name);
  const objects = database
    .prepare("SELECT name, type, tbl_name AS of FROM main.sqlite_schema WHERE type IN ('table', 'index')")
    .all() as (Owner & { of: string })[];
  const ours = objects.filter(({ name, of }) => names.has(name) && OF_METRICS.test(of));
  const tables = ours.filter(({ type }) => type === "table");
  return tables.length > 0 ? tables.slice(0, 1) : ours;
}

/** Tables with data of users; `perdura_days` and `perdura_value_days` have none. */
const OF_METRICS =
  /^(?:interactions|interaction_metadata|perdura_(?:user_rollup|user_days|stale_users|user_key_days|key_values))$/i;

/** Tables and indexes with values of metadata, which may be anything. */
const HAS_METADATA = /^(?:interaction_metadata|perdura_key_values|sqlite_autoindex_perdura_key_values_1)$/i;

/** Fills the unused pages with zeros, some at a time, and makes them unused again. */
function* overwriteUnusedPages({ database, change }: ErasedDatabase): Generator<void, void> {
  const unused = (): number => database.pragma("freelist_count", { simple: true }) as number;
  const pageSize = database.pragma("page_size", { simple: true }) as number;
  keepingSums(change, database, () =>
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
  keepingSums(change, database, () => database.exec("DROP TABLE main.perdura_zeros"));
  database.exec("PRAGMA secure_delete = ON");
}

/** Changes the schema; the sums of the interactions stay valid, because no row changes. */
function keepingSums(change: ErasedDatabase["change"], database: Database, work: () => void): void {
  change(() => {
    const isReady = isRollupReady(database);
    work();
    if (isReady) declareRollupReady(database);
  });
}

/** Rewrites the database. That counts as a change of the schema, although it changes no row. */
export function rewriteKeepingSums({ database, path, waits, change }: ErasedDatabase): Compacted {
  const version = (): number => database.pragma("schema_version", { simple: true }) as number;
  const before = database.transaction(() => (isRollupReady(database) ? version() : undefined))();
  const sizes = rewrite(database, path, waits);
  change(() => {
    if (before !== undefined && version() === before + 1) declareRollupReady(database);
  });
  return sizes;
}

function tooLarge(path: string): StorageError {
  return new StorageError(
    "the interactions were deleted and overwritten, but pages of the database still have parts of rows that were deleted before, without overwriting them. Overwriting these rewrites the whole database, which other programs wait for: call compact(), or run `perdura-migrate compact`.",
    { path, mayBeWritten: true },
  );
}
