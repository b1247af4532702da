import { inflateSync } from "node:zlib";
import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { contentOf, type Tree } from "./tree.ts";

interface ArchivedEntry {
  name: Buffer;
  mode: number | null;
  sz: number;
  data: Buffer | null;
  mtime_ns: bigint;
  kind: string;
}

/** How many differences are named; a directory that changed altogether has no end of them. */
const LIMIT = 20;

/**
 * Reads an archive back and compares it with the tree: names, kinds, modes, times, and every byte of every file.
 *
 * @returns What differs, in words; empty when the archive holds exactly what the directory holds.
 */
export function compareArchive(path: string, tree: Tree): string[] {
  const archive = openDatabase(path, { access: "read" });
  try {
    const select = archive.prepare(
      "SELECT CAST(s.name AS BLOB) AS name, s.mode, s.sz, s.data, CAST(e.mtime_ns AS TEXT) AS mtime_ns, e.kind FROM sqlar AS s JOIN entries AS e USING (name) ORDER BY s.name",
    );
    const expected = new Map(tree.entries.map((entry) => [entry.name.toString("latin1"), entry]));
    const differences: string[] = [];
    for (const archived of select.iterate() as IterableIterator<ArchivedEntry>) {
      const key = archived.name.toString("latin1");
      const entry = expected.get(key);
      expected.delete(key);
      const fault = entry === undefined ? "is in the archive only" : faultOf(archived, entry, tree.root);
      if (fault !== undefined) differences.push(`${archived.name.toString("utf8")} ${fault}`);
    }
    for (const { name } of expected.values()) differences.push(`${name.toString("utf8")} is in the directory only`);
    return differences.length <= LIMIT
      ? differences
      : [...differences.slice(0, LIMIT), `and ${differences.length - LIMIT} more`];
  } finally {
    archive.close();
  }
}

function faultOf(archived: ArchivedEntry, entry: Tree["entries"][number], root: string): string | undefined {
  if (archived.kind !== entry.kind) return `was a ${archived.kind} and is a ${entry.kind}`;
  const content = contentOf(root, entry);
  const before = unpacked(archived);
  if (content === null ? before !== null : before === null || !before.equals(content)) return "has another content";
  if (archived.mode !== entry.mode) return "has another mode";
  // The time of a directory changes with any file in it, ours included; it says nothing about the states.
  return entry.kind === "directory" || BigInt(archived.mtime_ns) === entry.mtimeNs ? undefined : "has another time";
}

/** The content of an archived file, as the standard stores it. */
export function unpacked({ sz, data }: Pick<ArchivedEntry, "sz" | "data">): Buffer | null {
  if (data === null || sz === -1 || data.length === sz) return data;
  return inflateSync(data);
}

/** True when the file is an archive that perdura-migrate made. */
export function isArchive(path: string): boolean {
  try {
    const database = openDatabase(path, { access: "read" });
    try {
      const tables = database
        .prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('sqlar', 'entries', 'states')")
        .pluck()
        .get();
      return tables === 3;
    } finally {
      database.close();
    }
  } catch {
    return false;
  }
}
