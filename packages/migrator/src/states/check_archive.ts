import { createHash } from "node:crypto";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { unpacked } from "./compare_archive.ts";
import { readingOf } from "./reading.ts";
import { isStateFile, userOf } from "./state_files.ts";
import type { Tree, TreeEntry } from "./tree.ts";

/** How many differences are named. */
const LIMIT = 20;

interface ArchivedFile {
  name: Buffer;
  kind: TreeEntry["kind"];
  sha256: string | null;
}

/**
 * Checks an archive against itself, with or without its directory: every content has its checksum, and the table of
 * states says what a fresh reading of the archived bytes says. Reasons are words of a version of this program, so of
 * them only the presence counts.
 *
 * @param directory The directory that was archived.
 */
export function checkArchive(path: string, directory: string): string[] {
  const archive = openDatabase(path, { access: "read" });
  try {
    const differences = [...checkTables(archive), ...checkFiles(archive, treeIn(archive, directory))];
    const rest = differences.length - LIMIT;
    return rest > 0 ? [...differences.slice(0, LIMIT), `and ${rest} more`] : differences;
  } finally {
    archive.close();
  }
}

function checkTables(archive: Database): string[] {
  const single = (sql: string): unknown => archive.prepare(sql).pluck().get();
  return [
    ...(single("PRAGMA quick_check(1)") === "ok" ? [] : ["the archive is damaged"]),
    ...(single("SELECT count(*) FROM sqlar") === single("SELECT count(*) FROM sqlar JOIN entries USING (name)")
      ? []
      : ["the table entries of the archive lacks rows"]),
  ];
}

/** The archived directory as a tree whose contents come from the archive, one at a time. */
function treeIn(archive: Database, root: string): Tree & { files: Map<TreeEntry, ArchivedFile> } {
  const content = archive.prepare("SELECT sz, data FROM sqlar WHERE name = CAST(? AS TEXT)");
  const rows = archive
    .prepare("SELECT CAST(name AS BLOB) AS name, kind, sha256 FROM sqlar JOIN entries USING (name) ORDER BY name")
    .all() as ArchivedFile[];
  const files = new Map<TreeEntry, ArchivedFile>();
  for (const row of rows) {
    const load = (): Buffer | null => unpacked(content.get(row.name) as { sz: number; data: Buffer | null });
    files.set({ name: row.name, kind: row.kind, mode: 0, mtimeNs: 0n, size: 0, load }, row);
  }
  return { root, entries: [...files.keys()], special: [], files };
}

function checkFiles(archive: Database, tree: ReturnType<typeof treeIn>): string[] {
  const state = archive
    .prepare(
      "SELECT CAST(user_id AS BLOB), trust_level, current_level, target_level, interaction_count, success_count, failure_count, last_interaction, created_at, extra, sha256, status, reason IS NULL FROM states WHERE file = CAST(? AS TEXT)",
    )
    .raw();
  const differences: string[] = [];
  let states = 0;
  for (const [entry, { sha256 }] of tree.files) {
    const name = entry.name.toString("utf8");
    const bytes = loaded(entry);
    const digest = bytes instanceof Buffer ? createHash("sha256").update(bytes).digest("hex") : null;
    if (bytes === undefined || digest !== sha256) differences.push(`${name} in the archive has not its checksum`);
    else if (bytes !== null && isStateFile(entry)) {
      states += 1;
      const found = state.get(entry.name) as unknown[] | undefined;
      if (found === undefined || !equal(found, expected(tree, entry, bytes, digest)))
        differences.push(`the row of ${name} in the table states is not what the file says`);
    }
  }
  const rows = archive.prepare("SELECT count(*) FROM states").pluck().get();
  if (differences.length === 0 && rows !== states)
    differences.push(`the table states has ${String(rows)} rows for ${states} files`);
  return differences;
}

/** Undefined where the stored bytes cannot be unpacked. */
function loaded(entry: TreeEntry): Buffer | null | undefined {
  try {
    return entry.load?.();
  } catch {
    return undefined;
  }
}

function expected(tree: Tree, entry: TreeEntry, bytes: Buffer, digest: string | null): unknown[] {
  const { columns, extra, status, reason } = readingOf(tree, entry, bytes);
  return [userOf(tree, entry), ...Object.values(columns), extra, digest, status, reason === null ? 1 : 0];
}

function equal(found: readonly unknown[], wanted: readonly unknown[]): boolean {
  return wanted.every((value, index) => {
    const other = found[index];
    return Buffer.isBuffer(value) ? Buffer.isBuffer(other) && value.equals(other) : value === other;
  });
}
