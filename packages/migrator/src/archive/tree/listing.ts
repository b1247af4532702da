import { accessSync, constants } from "node:fs";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { BoundedList } from "../../core/bounded_list.ts";
import { Stop } from "../../core/stop.ts";
import {
  boundName,
  type EntryName,
  isPassedOver,
  nameColumn,
  nameFromColumn,
  pathBelow,
  shownName,
} from "../format/entry_name.ts";
import { archivedBytes, MAX_FILE_BYTES } from "../format/size.ts";
import { type Entry, entryAt, type Excludes, type Kind, type Tick, walkTree } from "./walk_tree.ts";

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

/** What a directory holds, in numbers. */
export interface Survey {
  entries: number;
  /** How many of them are directories. */
  directories: number;
  /** Of regular files. */
  bytes: number;
  /** Of the names of all. */
  nameBytes: number;
  /** What they take in an archive at most. */
  archivedBytes: number;
  /** Some of the sockets, pipes and devices, which no archive can hold. */
  special: string[];
  /** Some of the files that are too big for an archive. */
  tooBig: string[];
  /** Some of the files that this user may not read. */
  unreadable: string[];
  /** Some of what has a time that no archive can hold. */
  badTimes: string[];
  /** What the stock program would not extract from the archive. */
  passedOver: BoundedList;
  /** How many files have a second name. */
  linked: number;
  /** How many things lie there that are no part of the states. */
  excluded: number;
}

/** Nanoseconds since 1970 are an integer of 64 bits in an archive: the years 1677 to 2262. */
const isArchivableTime = (mtimeNs: bigint): boolean => BigInt.asIntN(64, mtimeNs) === mtimeNs;

/** How many offending names are kept. */
const NAMES = 20;

/** Goes through a directory once, counts what it holds, and hands over every entry. */
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
    nameBytes: 0,
    archivedBytes: 0,
    special: [],
    tooBig: [],
    unreadable: [],
    badTimes: [],
    passedOver: new BoundedList(),
    linked: 0,
    excluded: 0,
  };
  const directory = entryAt(root, "");
  if (directory !== undefined && !isArchivableTime(directory.mtimeNs)) found.badTimes.push(root);
  for (const { name, kind, excluded } of walkTree(root, excludes)) {
    if (excluded) found.excluded += 1;
    else if (kind === "special") keepName(found.special, name);
    else {
      const entry = entryAt(root, name);
      // Gone since it was listed, as the temporary file of a writer is.
      if (entry === undefined) continue;
      found.entries += 1;
      found.nameBytes += name.length;
      found.archivedBytes += archivedBytes(entry);
      if (isPassedOver(name)) found.passedOver.add(shownName(name));
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
  // To ask the system about every file would take as long as to read them; where everybody may read, there is no doubt.
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

/** @throws Stop for what no archive can hold, and for what cannot be read. */
export function assertArchivable({ special, tooBig, unreadable, badTimes }: Survey): void {
  if (unreadable.length > 0)
    throw new Stop(
      "refused",
      `You may not read: ${unreadable.join(", ")}. Run as a user who may, or change the modes.`,
    );
  if (special.length > 0)
    throw new Stop(
      "refused",
      `No archive can hold what is neither a file, a directory nor a link: ${special.join(", ")}. Move it elsewhere first.`,
    );
  if (tooBig.length > 0)
    throw new Stop(
      "refused",
      `An archive holds files of up to ${MAX_FILE_BYTES} bytes; bigger: ${tooBig.join(", ")}. Move it elsewhere first.`,
    );
  if (badTimes.length > 0)
    throw new Stop(
      "refused",
      `An archive holds times from 1677 to 2262; changed at another time: ${badTimes.join(", ")}. Give it another time first, with: touch.`,
    );
}
