import { inflateSync } from "node:zlib";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { describe } from "@perdura/internals/text/describe.js";
import { Stop } from "../../core/stop.ts";
import type { Companion } from "./state_file.ts";
import type { Entry, Kind } from "../tree/walk_tree.ts";
import { boundName, type EntryName, nameColumn, nameFromColumn } from "../tree/entry_name.ts";
import { MAX_FILE_BYTES } from "./size.ts";

/** An archived entry; `size` is the length of the content, 0 for a directory. */
export interface ArchivedEntry extends Entry {
  sha256: string | null;
  /** The stored bytes: deflated if shorter than `size`. Null also if the content was not asked for. */
  data: Buffer | null;
}

type Row = [string | Buffer, Kind, number, string, number, number, number, string | null, Buffer | null];

/**
 * Yields the entries of an archive, sorted by the bytes of their names: a directory precedes its entries.
 *
 * @param data True to read the content.
 * @param order.backwards True for the reverse order, in which a directory follows its entries.
 */
export function* archivedEntries(
  archive: Database,
  data: boolean,
  order: { backwards?: boolean } = {},
): Generator<ArchivedEntry, void, undefined> {
  const rows = archive
    .prepare(
      `SELECT ${nameColumn("s.name")}, e.kind, s.mode, CAST(e.mtime_ns AS TEXT), s.sz, e.uid, e.gid, e.sha256,
      ${data ? "CAST(s.data AS BLOB)" : "NULL"} FROM entries AS e JOIN sqlar AS s USING (name)
      ORDER BY e.name ${order.backwards === true ? "DESC" : "ASC"}`,
    )
    .raw()
    .iterate() as IterableIterator<Row>;
  for (const row of rows) yield entryOf(row);
}

function entryOf([name, kind, mode, mtimeNs, size, uid, gid, sha256, data]: Row): ArchivedEntry {
  return { name: nameFromColumn(name), kind, mode, mtimeNs: nanoseconds(mtimeNs), size, uid, gid, sha256, data };
}

/** @throws Stop if another program stored something else. */
function nanoseconds(text: string): bigint {
  if (/^-?\d+$/.test(text)) return BigInt(text);
  throw new Stop("failed", `The archive is damaged: expected a time, found ${describe(text)}.`);
}

/** Number of entries in an archive. */
export function countEntries(archive: Database): number {
  return archive.prepare("SELECT count(*) FROM entries").pluck().get() as number;
}

/** The archived directory itself. */
export function archivedDirectory(archive: Database): Entry {
  const [mode, mtimeNs, uid, gid] = archive
    .prepare("SELECT mode, CAST(mtime_ns AS TEXT), uid, gid FROM directory")
    .raw()
    .get() as [number, string, number, number];
  return { name: "", kind: "directory", mode, mtimeNs: nanoseconds(mtimeNs), size: 0, uid, gid };
}

/**
 * Returns the content of an archived entry, null for a directory.
 *
 * @throws Error if the stored data do not inflate to the given size.
 */
export function unpacked({ kind, size, data }: Pick<ArchivedEntry, "kind" | "size" | "data">): Buffer | null {
  if (kind === "directory") return null;
  if (data === null || data.length === size) return data;
  if (size > MAX_FILE_BYTES) throw new Error(`${size} bytes, more than the maximum size of a file in an archive`);
  const content = inflateSync(data, { maxOutputLength: size + 1 });
  if (content.length !== size) throw new Error(`expected ${size} bytes, found ${content.length}`);
  return content;
}

/** Reads the companion files of states from the archive. */
export function archivedCompanion(archive: Database): Companion {
  const select = archive.prepare(
    "SELECT s.sz AS size, CAST(s.data AS BLOB) AS data FROM entries AS e JOIN sqlar AS s USING (name) WHERE e.name = CAST(? AS TEXT) AND e.kind = 'file'",
  );
  return (name: EntryName) => {
    const found = select.get(boundName(name)) as { size: number; data: Buffer | null } | undefined;
    return found === undefined ? undefined : (unpacked({ kind: "file", ...found }) ?? undefined);
  };
}
