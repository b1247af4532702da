import { accessSync, constants } from "node:fs";
import { CommonAccess } from "@perdura/internals/files/common_access.js";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { BoundedList } from "../../core/bounded_list.ts";
import { agreeing } from "../../core/rows_text.ts";
import { Stop } from "../../core/stop.ts";
import {
  boundName,
  type EntryName,
  isSkippedBySqlite,
  nameColumn,
  nameFromColumn,
  pathBelow,
  shownName,
} from "../tree/entry_name.ts";
import { archivedBytes, MAX_FILE_BYTES } from "../format/size.ts";
import { type Entry, entryAt, type Excludes, type Kind, type Tick, walkTree } from "../tree/walk_tree.ts";

/**
 * Everything below a directory: first files and links, sorted by the bytes of their names; then directories, each after
 * its entries. This is the order in which the stock program extracts an archive: a directory gets its mode, which may
 * forbid writing, once its entries are complete. Kept in a temporary SQLite file, not in memory.
 */
export class Listing {
  readonly survey: Survey;
  readonly #database: Database;

  private constructor(found: Survey, database: Database) {
    this.survey = found;
    this.#database = database;
  }

  /** Lists a directory in one pass. The caller closes the listing. */
  static async of(root: string, excludes: Excludes, tick: Tick): Promise<Listing> {
    const database = openDatabase(":memory:", { intent: "record" });
    try {
      // The cache size of the main database also limits SQLite's sorter.
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

  *entries(): Generator<Entry, void, undefined> {
    const rows = this.#database
      .prepare(
        `SELECT ${nameColumn("name")}, kind, mode, CAST(mtime_ns AS TEXT), size, uid, gid FROM temp.listing ORDER BY rowid`,
      )
      .raw()
      .iterate() as IterableIterator<[string | Buffer, Kind, number, string, number, number, number]>;
    for (const [name, kind, mode, mtimeNs, size, uid, gid] of rows)
      yield { name: nameFromColumn(name), kind, mode, mtimeNs: BigInt(mtimeNs), size, uid, gid };
  }

  close(): void {
    this.#database.close();
  }
}

/** Listings of state directories that a run keeps. */
export interface Listings {
  /** Keyed by directory; see {@link keepListing}. */
  readonly listings: Map<string, Listing>;
}

/** Keeps the listing of the plan, so that the directory need not be listed again immediately. The run closes it. */
export function keepListing(run: Listings, directory: string, listing: Listing): void {
  run.listings.get(directory)?.close();
  run.listings.set(directory, listing);
}

/** Removes and returns the kept listing; the caller closes it. */
export function takeListing(run: Listings, directory: string): Listing | undefined {
  const listing = run.listings.get(directory);
  run.listings.delete(directory);
  return listing;
}

/** Numbers about the content of a directory. */
export interface Survey {
  entries: number;
  /** Number of directories among the entries. */
  directories: number;
  /** Total size of the regular files. */
  bytes: number;
  /** Maximum number of bytes that they need in an archive. */
  archivedBytes: number;
  /** Some of the sockets, pipes and devices, which an archive cannot hold. */
  special: string[];
  /** Some of the files that are too big for an archive. */
  tooBig: string[];
  /** Some of the files that this user may not read. */
  unreadable: string[];
  /** Some of the entries whose time an archive cannot hold. */
  badTimes: string[];
  /** Entries that the stock program would not extract from the archive. */
  passedOver: BoundedList;
  /** Number of files with more than one hard link. */
  linked: number;
  /** Number of entries that are not part of the states. */
  excluded: number;
  /** Rights of users who may read all of it. */
  access: CommonAccess;
}

/** An archive stores nanoseconds since 1970 as a 64-bit integer: the years 1677 to 2262. */
const isArchivableTime = (mtimeNs: bigint): boolean => BigInt.asIntN(64, mtimeNs) === mtimeNs;

/** Maximum number of names that are kept for each fault. */
const NAMES = 20;

/** Walks a directory once, counts its content, and passes on every entry. */
export async function survey(
  root: string,
  excludes: Excludes,
  tick: Tick,
  take: (entry: Entry) => unknown = () => undefined,
): Promise<Survey> {
  const found: Survey = {
    entries: 0,
    directories: 0,
    bytes: 0,
    archivedBytes: 0,
    special: [],
    tooBig: [],
    unreadable: [],
    badTimes: [],
    passedOver: new BoundedList(),
    linked: 0,
    excluded: 0,
    access: new CommonAccess(),
  };
  const directory = entryAt(root, "");
  if (directory !== undefined) found.access.add(directory, true);
  if (directory !== undefined && !isArchivableTime(directory.mtimeNs)) found.badTimes.push(root);
  for (const { name, kind, excluded } of walkTree(root, excludes)) {
    if (excluded) found.excluded += 1;
    else if (kind === "special") keepName(found.special, name);
    else {
      const entry = entryAt(root, name);
      // Removed since it was listed, for example the temporary file of a writer.
      if (entry === undefined) continue;
      found.entries += 1;
      // A link has no rights of its own.
      if (entry.kind !== "link") found.access.add(entry, entry.kind === "directory");
      found.archivedBytes += archivedBytes(entry);
      if (isSkippedBySqlite(name)) found.passedOver.add(shownName(name));
      if (entry.kind === "directory") found.directories += 1;
      if (entry.kind === "file") look(root, entry, found);
      if (entry.kind === "file" && (entry.names ?? 1) > 1) found.linked += 1;
      if (isArchivableTime(entry.mtimeNs)) take(entry);
      else keepName(found.badTimes, name);
      if (found.entries % 1000 === 0) await tick(found.entries);
    }
  }
  return found;
}

function look(root: string, entry: Entry, found: Survey): void {
  found.bytes += entry.size;
  if (entry.size > MAX_FILE_BYTES) keepName(found.tooBig, entry.name);
  // Asking the system about every file would take as long as reading it; a file that all users may read needs no call.
  if ((entry.mode & 0o444) !== 0o444 && !isReadable(root, entry)) keepName(found.unreadable, entry.name);
}

function isReadable(root: string, { name, mode, uid }: Entry): boolean {
  if (uid === process.geteuid?.() && (mode & 0o400) !== 0) return true;
  try {
    accessSync(pathBelow(root, name), constants.R_OK);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EACCES";
  }
}

function keepName(names: string[], name: EntryName): void {
  if (names.length < NAMES) names.push(shownName(name));
}

/** @throws Stop for entries that an archive cannot hold, and for unreadable ones. */
export function assertArchivable({ special, tooBig, unreadable, badTimes }: Survey): void {
  if (unreadable.length > 0)
    throw new Stop(
      "refused",
      `Permission denied: ${unreadable.join(", ")}. Run as a user who can read all files, or change their modes.`,
    );
  if (special.length > 0)
    throw new Stop(
      "refused",
      `Cannot archive ${special.join(", ")}: only files, directories and symbolic links can be archived. ${moveFirst(special)}`,
    );
  if (tooBig.length > 0)
    throw new Stop(
      "refused",
      `Cannot archive ${tooBig.join(", ")}: files of more than ${MAX_FILE_BYTES} bytes cannot be archived. ${moveFirst(tooBig)}`,
    );
  if (badTimes.length > 0)
    throw new Stop(
      "refused",
      `Cannot archive ${badTimes.join(", ")}: only modification times from 1677 to 2262 can be archived. Set another time with touch, then run this command again.`,
    );
}

function moveFirst(names: readonly string[]): string {
  return `Move ${agreeing(names.length, "it", "them")} to another directory, then run this command again.`;
}
