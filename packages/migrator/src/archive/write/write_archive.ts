import { hash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { type Database, openDatabase, type Statement } from "@perdura/internals/sqlite/open_database.js";
import { boundName } from "../tree/entry_name.ts";
import { ARCHIVE_INDEXES, ARCHIVE_SCHEMA } from "../format/open_archive.ts";
import { PAGE } from "../format/size.ts";
import { readingOf, StateCounter } from "../states/count_states.ts";
import { directoryCompanion, isState } from "../format/state_file.ts";
import type { Listing } from "../states/listing.ts";
import { FileReader } from "../tree/read_file.ts";
import type { Entry, Tick } from "../tree/walk_tree.ts";

/** Content of an archive to write. */
interface Source {
  root: string;
  listing: Listing;
  /** The directory itself. */
  directory: Entry;
  tick: Tick;
}

/** Writes every entry of a directory into an empty file, and counts the states. */
export async function writeArchive(path: string, source: Source): Promise<StateCounter> {
  const archive = openUnfinished(path);
  try {
    const { root, listing, directory, tick } = source;
    const total = listing.survey.entries;
    const counter = new StateCounter();
    archive.exec("BEGIN");
    archive.exec(ARCHIVE_SCHEMA);
    const { mode, mtimeNs, uid, gid } = directory;
    archive.prepare("INSERT INTO directory VALUES (?, ?, ?, ?)").run(mode, mtimeNs, uid, gid);
    for (const done of fillArchive(archive, root, listing.entries(), counter)) await tick(done, total);
    archive.exec("COMMIT");
    await tick(total, total);
    archive.exec(ARCHIVE_INDEXES);
    return counter;
  } finally {
    archive.close();
  }
}

/** The file has a temporary name: an interrupted run discards it, and it is synced once it is complete. */
function openUnfinished(path: string): Database {
  const archive = openDatabase(path, { intent: "record" });
  archive.pragma("journal_mode = OFF");
  archive.pragma("synchronous = OFF");
  archive.pragma(`page_size = ${PAGE}`);
  archive.pragma("cache_size = -2048");
  // The checks are for other writers: the values written here satisfy them, and checking takes a sixth of the time of a
  // row.
  archive.pragma("ignore_check_constraints = ON");
  return archive;
}

/**
 * Reads entries of a directory, writes them into an archive that has its tables, and counts states. Names are bound as
 * bytes: they need not be UTF-8. Yields the number of finished entries after every thousand.
 */
function* fillArchive(
  archive: Database,
  root: string,
  entries: Iterable<Entry>,
  counter: StateCounter,
): Generator<number, void, undefined> {
  const insert = inserters(archive);
  const reader = new FileReader();
  const companion = directoryCompanion(root);
  let done = 0;
  for (const entry of entries) {
    const content = reader.content(root, entry);
    const name = boundName(entry.name);
    const sha256 = content === null ? null : hash("sha256", content, "hex");
    insert.file.run(name, entry.mode, seconds(entry), content === null ? 0 : content.length, stored(content));
    insert.entry.run(name, entry.kind, entry.mtimeNs, entry.uid, entry.gid, sha256);
    if (isState(entry, content)) {
      const { user, columns, extra, status, reason } = readingOf(root, entry, content, companion);
      insert.state.run(name, boundName(user), ...Object.values(columns), extra, sha256, status, reason);
      counter.add(entry.name, { status, reason });
    }
    done += 1;
    if (done % 1000 === 0) yield done;
  }
}

function inserters(archive: Database): Record<"file" | "entry" | "state", Statement> {
  return {
    file: archive.prepare("INSERT INTO sqlar VALUES (CAST(? AS TEXT), ?, ?, ?, ?)"),
    entry: archive.prepare("INSERT INTO entries VALUES (CAST(? AS TEXT), ?, ?, ?, ?, ?)"),
    state: archive.prepare(`INSERT INTO states VALUES (CAST(? AS TEXT), CAST(? AS TEXT), ${"?, ".repeat(11)}?)`),
  };
}

/** Whole seconds, rounded down as file systems do; see the schema for links. */
function seconds({ kind, mtimeNs }: Entry): bigint {
  return kind === "link" ? -1n : (mtimeNs - (((mtimeNs % SECOND) + SECOND) % SECOND)) / SECOND;
}

const SECOND = 1_000_000_000n;

/**
 * Smaller content: deflating saves less than a page and costs more than writing. Bigger content: it would need too much
 * memory.
 */
const DEFLATE_FROM = 16 * 1024;
const DEFLATE_TO = 16 * 1024 * 1024;

/** Data as the standard defines them: deflated if that is smaller, NULL for a directory. */
function stored(content: Buffer | null): Buffer | null {
  if (content === null || content.length < DEFLATE_FROM || content.length > DEFLATE_TO) return content;
  const deflated = deflateSync(content, { level: 1 });
  return deflated.length < content.length ? deflated : content;
}
