import { hash } from "node:crypto";
import { deflateSync } from "node:zlib";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
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
    insert.file(name, entry.mode, seconds(entry), ...stored(content));
    insert.entry(name, entry.kind, entry.mtimeNs, entry.uid, entry.gid, sha256);
    if (content !== null && isStateFile(entry)) {
      const { user, columns, extra, status, reason } = readingOf(root, entry, content, companion);
      insert.state(name, boundName(user), ...Object.values(columns), extra, sha256, status, reason);
      counter.add(entry.name, { status, reason });
    }
    done += 1;
    if (done % 1000 === 0) yield done;
  }
}

type Insert = (...values: unknown[]) => unknown;

function inserters(archive: Database): Record<"file" | "entry" | "state", Insert> {
  const into = (sql: string): Insert => {
    const statement = archive.prepare(`INSERT INTO ${sql}`);
    return (...values) => statement.run(...values);
  };
  return {
    file: into("sqlar VALUES (CAST(? AS TEXT), ?, ?, ?, ?)"),
    entry: into("entries VALUES (CAST(? AS TEXT), ?, ?, ?, ?, ?)"),
    state: into(`states VALUES (CAST(? AS TEXT), CAST(? AS TEXT), ${"?, ".repeat(11)}?)`),
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

/** Size and data as the standard has them: deflated where that is smaller, NULL for a directory. */
function stored(content: Buffer | null): [number, Buffer | null] {
  if (content === null) return [0, null];
  if (content.length < DEFLATE_FROM || content.length > DEFLATE_TO) return [content.length, content];
  const deflated = deflateSync(content, { level: 1 });
  return [content.length, deflated.length < content.length ? deflated : content];
}
