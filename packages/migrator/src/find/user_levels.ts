import { hash } from "node:crypto";
import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { type AskLevels, noUserLevels, type UserLevel, type UserLevels } from "../core/user_levels.ts";
import type { Discovery } from "../core/discovery.ts";
import { newestArchive } from "../archive/format/archive_place.ts";
import { directoryCompanion, isStateFile } from "../archive/states/state_files.ts";
import { excludedPaths } from "./excluded.ts";
import { FileReader } from "../archive/tree/read_file.ts";
import { readingOf } from "../archive/states/count_states.ts";
import { entryAt, type Excludes, walkTree } from "../archive/tree/walk_tree.ts";

/** The levels in the state directories of a run, and in archives of those that are gone. */
export function userLevelsOf(discovery: Discovery, backupDir: string | null): AskLevels {
  let known: UserLevels | undefined;
  return () => (known ??= readLevels(discovery, excludedPaths(discovery, backupDir)));
}

function readLevels(discovery: Discovery, excludes: Excludes): UserLevels {
  const found = noUserLevels();
  for (const directory of discovery.stateDirectories) readDirectory(directory, excludes, found);
  for (const directory of goneDirectories(discovery)) {
    const archive = newestArchive(directory);
    if (archive !== undefined) readArchive(archive, found);
  }
  return found;
}

const ARCHIVE_NUMBER = /\.v15(?:\.\d+)?\.sqlar$/;

function goneDirectories({ own, stateDirectories }: Discovery): string[] {
  const archived = own.filter((path) => ARCHIVE_NUMBER.test(path)).map((path) => path.replace(ARCHIVE_NUMBER, ""));
  return [...new Set(archived)].filter((directory) => !stateDirectories.includes(directory));
}

function readDirectory(directory: string, excludes: Excludes, found: UserLevels): void {
  const reader = new FileReader();
  const companion = directoryCompanion(directory);
  for (const { name, kind, excluded } of walkTree(directory, excludes)) {
    const entry = kind === "special" || excluded || !isStateFile({ name, kind }) ? undefined : entryAt(directory, name);
    const content = entry === undefined ? null : reader.content(directory, entry);
    if (entry === undefined || content === null) continue;
    found.states += 1;
    const { user, columns } = readingOf(directory, entry, content, companion);
    const level = columns.current_level;
    if (level === null || level < 1 || level > 5) continue;
    const file = Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(name, "latin1")]);
    add(found, { user: Buffer.from(user, "latin1"), level, file, sha256: hash("sha256", content, "hex") });
  }
}

function readArchive(path: string, found: UserLevels): void {
  const archive = openDatabase(path, { access: "read" });
  try {
    found.states += archive.prepare("SELECT count(*) FROM states").pluck().get() as number;
    const rows = archive
      .prepare(
        "SELECT CAST(user_id AS BLOB) AS user, current_level AS level, CAST(file AS BLOB) AS name, sha256 FROM states WHERE typeof(current_level) = 'integer' AND current_level BETWEEN 1 AND 5 AND user_id IS NOT NULL AND file IS NOT NULL ORDER BY file",
      )
      .iterate() as IterableIterator<{ user: Buffer; level: number; name: Buffer; sha256: string }>;
    for (const { name, ...row } of rows) add(found, { ...row, file: Buffer.concat([Buffer.from(`${path}/`), name]) });
  } finally {
    archive.close();
  }
}

function add({ levels, contradictory }: UserLevels, level: UserLevel): void {
  const user = level.user.toString("latin1");
  const other = levels.get(user);
  if (other !== undefined && other.level !== level.level) contradictory.add(user);
  if (contradictory.has(user)) levels.delete(user);
  // The file system has no order; of two states that agree the same one is named every time.
  else if (other === undefined || Buffer.compare(level.file, other.file) < 0) levels.set(user, level);
}
