import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { boundName, nameColumn, nameFromColumn } from "../format/entry_name.ts";
import { type Survey, survey } from "./survey.ts";
import type { Tick, Entry, Excludes, Kind } from "./walk_tree.ts";

/**
 * Everything below a directory: first files and links, sorted by the bytes of their names; then directories, each after
 * those that lie in it. That is the order in which the stock program extracts an archive: a directory gets its mode, which
 * may forbid to write into it, when everything is in it. Kept in a temporary file of SQLite, not in memory.
 */
export class Listing {
  readonly survey: Survey;
  readonly #database: Database;

  private constructor(found: Survey, database: Database) {
    this.survey = found;
    this.#database = database;
  }

  /** Lists a directory in one pass. The listing has to be closed. */
  static async of(root: string, excludes: Excludes, tick: Tick): Promise<Listing> {
    const database = openDatabase(":memory:", { access: "create" });
    try {
      // Of the first the sorter takes its measure.
      database.pragma("cache_size = -1024");
      database.pragma("temp.cache_size = -1024");
      database.exec("CREATE TEMP TABLE met (name TEXT, kind TEXT, mode INT, mtime_ns INT, size INT, uid INT, gid INT)");
      database.exec("BEGIN");
      const insert = database.prepare("INSERT INTO temp.met VALUES (CAST(? AS TEXT), ?, ?, ?, ?, ?, ?)");
      const found = await survey(root, excludes, tick, ({ name, kind, mode, mtimeNs, size, uid, gid }) =>
        insert.run(boundName(name), kind, mode, mtimeNs, size, uid, gid),
      );
      database.exec("CREATE TEMP TABLE listing AS SELECT * FROM temp.met WHERE kind <> 'directory' ORDER BY name");
      database.exec("INSERT INTO temp.listing SELECT * FROM temp.met WHERE kind = 'directory' ORDER BY name DESC");
      database.exec("DROP TABLE temp.met; COMMIT");
      return new Listing(found, database);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** The first entries, all by default. */
  entries(count: number = this.survey.entries): Generator<Entry, void, undefined> {
    return listed(this.#database, count);
  }

  /** The bytes of the files and links behind the first entries. */
  bytesAfter(count: number): number {
    return this.#database
      .prepare("SELECT ifnull(sum(size), 0) FROM temp.listing WHERE rowid > ? AND kind <> 'directory'")
      .pluck()
      .get(count) as number;
  }

  /** Copies the entries behind the first ones into an empty file, where {@link listedIn} finds them. */
  copyRest(count: number, path: string): void {
    const database = this.#database;
    database.prepare("ATTACH ? AS rest").run(path);
    try {
      database.exec("PRAGMA rest.journal_mode = OFF; PRAGMA rest.synchronous = OFF; PRAGMA rest.cache_size = -1024");
      database.exec(`CREATE TABLE rest.listing AS SELECT * FROM temp.listing WHERE rowid > ${count} ORDER BY rowid`);
    } finally {
      database.exec("DETACH rest");
    }
  }

  close(): void {
    this.#database.close();
  }
}

/** The entries in a file that {@link Listing.copyRest} filled. The connection has to stay open meanwhile. */
export function listedIn(database: Database): Generator<Entry, void, undefined> {
  return listed(database, Number.MAX_SAFE_INTEGER);
}

function* listed(database: Database, count: number): Generator<Entry, void, undefined> {
  const rows = database
    .prepare(
      `SELECT ${nameColumn("name")}, kind, mode, CAST(mtime_ns AS TEXT), size, uid, gid FROM listing ORDER BY rowid LIMIT ?`,
    )
    .raw()
    .iterate(count) as IterableIterator<[string | Buffer, Kind, number, string, number, number, number]>;
  for (const [name, kind, mode, mtimeNs, size, uid, gid] of rows)
    yield { name: nameFromColumn(name), kind, mode, mtimeNs: BigInt(mtimeNs), size, uid, gid };
}

/** What a run keeps of its state directories. */
export interface Listings {
  /** By directory; see {@link keepListing}. */
  readonly listings: Map<string, Listing>;
}

/** Keeps what was listed for the plan, so that a directory need not be listed again at once. Closed with the run. */
export function keepListing(run: Listings, directory: string, listing: Listing): void {
  run.listings.get(directory)?.close();
  run.listings.set(directory, listing);
}

/** The listing that was kept; from now on the caller closes it. */
export function takeListing(run: Listings, directory: string): Listing | undefined {
  const listing = run.listings.get(directory);
  run.listings.delete(directory);
  return listing;
}
