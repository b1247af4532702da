import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { ARCHIVE_SCHEMA } from "./archive_schema.ts";
import { readingOf } from "./reading.ts";
import { isStateFile, userOf } from "./state_files.ts";
import { contentOf, type Tree, type TreeEntry } from "./tree.ts";

/** Writes every entry of a tree into a new archive file. Names are bound as bytes: they need not be UTF-8. */
export function writeArchive(path: string, tree: Tree): void {
  const archive = openDatabase(path, { access: "create" });
  try {
    // The file has no name yet; a run that is cut off throws it away.
    archive.pragma("journal_mode = OFF");
    archive.exec("BEGIN");
    archive.exec(ARCHIVE_SCHEMA);
    const insert = inserters(archive);
    for (const entry of tree.entries) addEntry(tree, entry, insert);
    archive.exec("COMMIT");
  } finally {
    archive.close();
  }
}

interface Inserters {
  file: (...values: unknown[]) => unknown;
  entry: (...values: unknown[]) => unknown;
  state: (...values: unknown[]) => unknown;
}

function inserters(archive: Database): Inserters {
  const file = archive.prepare("INSERT INTO sqlar VALUES (CAST(? AS TEXT), ?, ?, ?, ?)");
  const entry = archive.prepare("INSERT INTO entries VALUES (CAST(? AS TEXT), ?, ?, ?)");
  const state = archive.prepare(`INSERT INTO states VALUES (CAST(? AS TEXT), CAST(? AS TEXT), ${"?, ".repeat(11)}?)`);
  return {
    file: (...values) => file.run(...values),
    entry: (...values) => entry.run(...values),
    state: (...values) => state.run(...values),
  };
}

function addEntry(tree: Tree, entry: TreeEntry, insert: Inserters): void {
  const content = contentOf(tree.root, entry);
  const sha256 = content === null ? null : createHash("sha256").update(content).digest("hex");
  const seconds = entry.mtimeNs / 1_000_000_000n;
  insert.file(entry.name, entry.mode, seconds, ...stored(entry, content));
  insert.entry(entry.name, entry.kind, entry.mtimeNs, sha256);
  if (!isStateFile(entry) || content === null) return;
  const reading = readingOf(tree, entry, content);
  const { columns, extra, status, reason } = reading;
  insert.state(entry.name, userOf(tree, entry), ...Object.values(columns), extra, sha256, status, reason);
}

/** Size and data as the standard has them: deflated where that is smaller, -1 for a link, NULL for a directory. */
function stored({ kind }: TreeEntry, content: Buffer | null): [number, Buffer | string | null] {
  if (content === null) return [0, null];
  if (kind === "link") return [-1, content];
  const deflated = deflateSync(content);
  return [content.length, deflated.length < content.length ? deflated : content];
}
