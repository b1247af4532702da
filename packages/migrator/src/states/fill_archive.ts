import { hash } from "node:crypto";
import { deflateSync } from "node:zlib";
import type { Database, Statement } from "@perdura/internals/sqlite/open_database.js";
import { directoryCompanion } from "./directory_companion.ts";
import { boundName } from "./entry_name.ts";
import { FileReader } from "./read_file.ts";
import { readingOf } from "./reading.ts";
import type { StateCounter } from "./state_counter.ts";
import { isStateFile } from "./state_files.ts";
import type { Entry } from "./walk_tree.ts";

/**
 * Reads entries of a directory and writes them into an archive that has its tables; states are counted. Names are bound
 * as bytes: they need not be UTF-8. Stops at every thousand and says how many are done.
 */
export function* fillArchive(
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
    if (content !== null && isStateFile(entry)) {
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

/** Whole seconds, rounded down as the file system does; see the schema for links. */
function seconds({ kind, mtimeNs }: Entry): bigint {
  return kind === "link" ? -1n : (mtimeNs - (((mtimeNs % SECOND) + SECOND) % SECOND)) / SECOND;
}

const SECOND = 1_000_000_000n;

/** Deflating what is smaller saves less than a page and costs more than the writing; what is bigger would need too much memory. */
const DEFLATE_FROM = 16 * 1024;
const DEFLATE_TO = 16 * 1024 * 1024;

/** Data as the standard has them: deflated where that is smaller, NULL for a directory. */
function stored(content: Buffer | null): Buffer | null {
  if (content === null || content.length < DEFLATE_FROM || content.length > DEFLATE_TO) return content;
  const deflated = deflateSync(content, { level: 1 });
  return deflated.length < content.length ? deflated : content;
}
