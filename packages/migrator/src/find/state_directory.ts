import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { isTemporaryName } from "@perdura/internals/files/temporary_names.js";
import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { newestArchive } from "../archive/format/archive_place.ts";
import { nameFromText, shownName } from "../archive/tree/entry_name.ts";
import { isArchive } from "../archive/format/open_archive.ts";
import { readingOf } from "../archive/states/count_states.ts";
import { directoryCompanion, isStateFile, userOf } from "../archive/format/state_file.ts";
import { FileReader } from "../archive/tree/read_file.ts";
import { entryAt, type Excludes, walkTree } from "../archive/tree/walk_tree.ts";
import type { Discovery } from "../core/discovery.ts";
import { type ReadLevels, noUserLevels, type UserLevel, type UserLevels } from "../database/levels/level_source.ts";
import { entriesIn } from "../io/entries.ts";
import { headOf, isPatternLibrary, scalarAt, topLevelValues } from "../io/json_head.ts";
import { databaseOfBackup, directoryOfArchive, isReport, ownKind, type OwnKind } from "../io/own_files.ts";

/** Names that only state directories of field programs have: these, and `.empathy/state` and `.attune/state`. */
const KNOWN_NAMES = ["empathy_state", "attune_state"];
const KNOWN_PARENTS = [".empathy", ".attune"];

/** Default name in programs of version 15; many other programs use it too. */
const DEFAULT_NAME = "state";

/** Directories and files whose JSON looks like a state but is not one. */
const LOOK_ALIKE_DIRECTORY = /^(?:sessions|compact_states)$/;
const LOOK_ALIKE_FILE = /^session_.*\.json$/;

/** Result of checking a directory for collaboration states. */
interface Judgement {
  isState: boolean;
  /** Reason why it may contain states although it was not recognised; null without one. */
  doubt: string | null;
}

/** True for a directory with a name that only state directories have. */
export function hasStateName(path: string): boolean {
  const name = basename(path);
  return KNOWN_NAMES.includes(name) || (name === DEFAULT_NAME && KNOWN_PARENTS.includes(basename(dirname(path))));
}

/**
 * Decides if a directory contains collaboration states: by its name; for the name `state`, by a file in it that looks
 * like a state; otherwise by a file that is the state of the user in its name. A single file that only looks like a
 * state, for example in a test, does not make a project a state directory.
 *
 * @param inStates True within a state directory: then it is part of that one, unless its own name is that of a state
 *   directory.
 */
export function judgeDirectory(path: string, inStates: boolean): Judgement {
  const isState = { isState: true, doubt: null };
  if (hasStateName(path)) return isState;
  const isCalledState = basename(path) === DEFAULT_NAME;
  if (LOOK_ALIKE_DIRECTORY.test(basename(path)) || (inStates && !isCalledState)) return { isState: false, doubt: null };
  let doubt: string | null = null;
  // Reads files until the first state, which may follow any number of other files.
  for (const entry of entriesIn(path)) {
    if (!entry.isFile() || !entry.name.endsWith(".json") || LOOK_ALIKE_FILE.test(entry.name)) continue;
    const found = userIn(join(path, entry.name));
    if (found !== undefined && (isCalledState || isUserOf(entry.name, found.user, path))) return isState;
    if (found !== undefined) doubt = `the user in ${entry.name} differs from its file name`;
    else if (isCalledState) doubt ??= "none of its JSON files looks like a state";
  }
  return {
    isState: false,
    doubt:
      doubt === null || inStates
        ? null
        : `not a state directory: ${doubt}. If it contains states, specify it with --states`,
  };
}

/**
 * Every state has these two keys, in the specification and in the field; even a truncated file may have them.
 *
 * @returns The user, if it can be read; undefined for a file that does not look like a state.
 */
function userIn(path: string): { user: string | undefined } | undefined {
  const text = headOf(path);
  const values = topLevelValues(text);
  const place = values.get("user_id");
  if (place === undefined || !values.has("trust_level") || isPatternLibrary(values)) return undefined;
  return { user: scalarAt(text, place) };
}

/** File systems may compose or decompose the letters of a name. */
function isUserOf(file: string, user: string | undefined, directory: string): boolean {
  const named = shownName(userOf(nameFromText(file), directoryCompanion(directory), () => user));
  return user?.normalize() === named.normalize();
}

/**
 * Makes a test for paths below a state directory that are not part of the states: databases (they are migrated, and
 * only SQLite reads them), SQLite's files next to them, nested state directories, and files of perdura-migrate. A rule,
 * not a list: this run makes such files itself. The name alone is not sufficient, because a user's state may have it.
 */
export function excludedPaths(discovery: Discovery, backupDir: string | null): Excludes {
  const databases = discovery.databases.map(({ path }) => path);
  const files = new Set(databases.flatMap((path) => ["", "-journal", "-wal", "-shm"].map((suffix) => path + suffix)));
  const elsewhere = backupDir === null ? [] : databases.map((path) => join(backupDir, basename(path)));
  const backedUp = new Set([...databases, ...elsewhere]);
  const directories = new Set(discovery.stateDirectories);
  const isOurs: Record<OwnKind, (path: string) => boolean> = {
    backup: (path) => backedUp.has(databaseOfBackup(path)),
    archive: isArchive,
    report: isReport,
    temporary: () => true,
  };
  return (path, kind) => {
    if (kind === "directory") return directories.has(path) || isTemporaryName(basename(path));
    if (kind !== "file") return false;
    const own = ownKind(basename(path));
    return files.has(path) || (own !== undefined && isOurs[own](path));
  };
}

/** The levels in the state directories of a run, and in the archives of missing ones. */
export function userLevelsOf(discovery: Discovery, backupDir: string | null): ReadLevels {
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

function goneDirectories({ own, stateDirectories }: Discovery): string[] {
  const archived = own.filter((path) => ownKind(basename(path)) === "archive").map(directoryOfArchive);
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
  const archive = openDatabase(path, { intent: "read" });
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

/** Rows whose user ids are not UTF-8 are invalid in version 16, so they need no level. */
function add(
  { levels, contradictory }: UserLevels,
  { user: bytes, ...found }: Omit<UserLevel, "user"> & { user: Buffer },
): void {
  if (!isUtf8(bytes)) return;
  const user = bytes.toString();
  const level: UserLevel = { ...found, user };
  const other = levels.get(user);
  if (other !== undefined && other.level !== level.level) contradictory.add(user);
  if (contradictory.has(user)) levels.delete(user);
  // The order of the file system is undefined; of two states that agree, always the same one is chosen.
  else if (other === undefined || Buffer.compare(level.file, other.file) < 0) levels.set(user, level);
}
