import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import type { HelperProcess } from "../io/child/helper_process.ts";
import { PAGE, canHalve } from "./archive_size.ts";
import { ARCHIVE_INDEXES, ARCHIVE_SCHEMA } from "./archive_schema.ts";
import { fillArchive } from "./fill_archive.ts";
import { startHalf } from "./halves.ts";
import type { Listing } from "./listing.ts";
import { StateCounter } from "./state_counter.ts";
import type { Tick } from "./ticks.ts";
import type { Entry } from "./walk_tree.ts";

/** What is to be written, and with what. */
export interface Source {
  root: string;
  listing: Listing;
  /** The directory itself. */
  directory: Entry;
  /** Writes half of the entries at the same time. */
  helper: HelperProcess;
  tick: Tick;
}

/** The files of an archive that is being written. They are there and empty; only the first is the archive in the end. */
export interface ArchiveFiles {
  archive: string;
  /** For the helper: the names of its half, and what it writes. */
  listing: string;
  half: string;
}

/** Writes every entry of a directory into a new archive file, and counts the states. */
export async function writeArchive(files: ArchiveFiles, source: Source): Promise<StateCounter> {
  const archive = openUnfinished(files.archive);
  try {
    const { root, listing, directory, helper, tick } = source;
    const total = listing.survey.entries;
    const own = canHalve(total) ? Math.ceil(total / 2) : total;
    if (own < total) listing.copyRest(own, files.listing);
    const rest =
      own < total ? startHalf(helper, { work: "write", root, listing: files.listing, archive: files.half }) : undefined;
    const counter = new StateCounter();
    archive.exec("BEGIN");
    archive.exec(ARCHIVE_SCHEMA);
    const { mode, mtimeNs, uid, gid } = directory;
    archive.prepare("INSERT INTO directory VALUES (?, ?, ?, ?)").run(mode, mtimeNs, uid, gid);
    for (const done of fillArchive(archive, root, listing.entries(own), counter))
      await tick(done + (rest?.done ?? 0), total);
    archive.exec("COMMIT");
    if (rest !== undefined) {
      counter.addAll(await rest.answer());
      addHalf(archive, files.half);
    }
    await tick(total, total);
    archive.exec(ARCHIVE_INDEXES);
    return counter;
  } finally {
    archive.close();
  }
}

/** Writes the second half of an archive, as a database of its own that {@link writeArchive} takes the rows of. */
export function writeHalf(
  path: string,
  root: string,
  entries: Iterable<Entry>,
  onDone: (done: number) => void,
): StateCounter {
  const half = openUnfinished(path);
  try {
    const counter = new StateCounter();
    half.exec("BEGIN");
    half.exec(ARCHIVE_SCHEMA);
    for (const done of fillArchive(half, root, entries, counter)) onDone(done);
    half.exec("COMMIT");
    return counter;
  } finally {
    half.close();
  }
}

/** The file has no name yet: a run that is cut off throws it away, and it is synced when it is whole. */
function openUnfinished(path: string): Database {
  const archive = openDatabase(path, { access: "create" });
  archive.pragma("journal_mode = OFF");
  archive.pragma("synchronous = OFF");
  archive.pragma(`page_size = ${PAGE}`);
  archive.pragma("cache_size = -2048");
  // The checks are for others: what is written here cannot break them, and asking takes a sixth of the time of a row.
  archive.pragma("ignore_check_constraints = ON");
  return archive;
}

/** Its files come after all that are there, and directories come last: the stock program extracts rows in their order. */
function addHalf(archive: Database, path: string): void {
  archive.prepare("ATTACH ? AS half").run(path);
  archive.pragma("half.cache_size = -1024");
  archive.exec("BEGIN");
  for (const [table, order] of [
    ["sqlar", "rowid"],
    ["entries", "name"],
    ["states", "file"],
  ] as const)
    archive.exec(`INSERT INTO main.${table} SELECT * FROM half.${table} ORDER BY ${order}`);
  archive.exec("COMMIT; DETACH half");
}
