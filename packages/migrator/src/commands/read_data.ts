import { hash } from "node:crypto";
import { lstatSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { BusyError, isPerduraError, type PerduraErrorShape, StorageError } from "@perdura/internals/errors/errors.js";
import { storageErrorOf } from "@perdura/internals/files/storage_errors.js";
import { isAppleDouble } from "@perdura/internals/files/apple_double.js";
import { realPathOf } from "@perdura/internals/files/exact_names.js";
import { readWhole } from "@perdura/internals/files/read_bytes.js";
import { assertNodeItself } from "@perdura/internals/runtime/node_version.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { isPostgresAddress } from "@perdura/internals/text/addresses.js";
import { STATE_SUFFIX } from "@perdura/internals/state/file_names.js";
import type { SourceDatabase } from "@perdura/summary/source.js";
import { sourceDatabase } from "@perdura/summary/source_database.js";
import type { ReadState } from "@perdura/summary/summarize_states.js";
import { nameFromBytes, pathBelow, shownName } from "../archive/tree/entry_name.ts";
import { listArchivedStates } from "../archive/read/list_archived.ts";
import { directoryCompanion, noColumns, readState, userInDirectory } from "../archive/format/state_file.ts";
import type { ProgressEvent } from "../core/progress.ts";
import type { CommonOptions, HasSettings } from "../core/options.ts";
import { assertKnown } from "../core/argument_checks.ts";
import type { Discovery, FoundDatabase } from "../core/discovery.ts";
import { Stop } from "../core/stop.ts";
import { planMerge } from "../database/migrate/merge/plan_merge.ts";
import { hasPatterns, recogniseDatabase } from "../database/layouts/known_layouts.ts";
import { metricsTableOf, secondTableOf } from "../database/layouts/layout.ts";
import { isDatabaseHeader, isOwn } from "../find/classify.ts";
import { discover } from "../find/discover.ts";
import type { Workers } from "../io/child/workers.ts";
import { databaseOfBackup, directoryOfArchive, numberOfBackup, ownKind } from "../io/own_files.ts";
import { removeAbandonedCopies, whileReading } from "../io/readable_database.ts";
import { type FoundServer, findInServer } from "./read_server.ts";
import { targetsFrom } from "./run_command.ts";
import { Session } from "./session.ts";
import { settingsFrom } from "./settings.ts";

/** Data of perdura and of pre-16 programs below some targets. */
export interface FoundData {
  /** The targets for messages: addresses without their passwords. */
  targets: string[];
  databases: ReadableDatabase[];
  /** Pattern libraries in JSON. */
  libraries: string[];
  stateDirectories: StatesSource[];
  /** Archives of state directories. */
  archives: StatesSource[];
  /** Backups of databases and libraries that migrations made. */
  backups: { path: string; bytes: number; of: string }[];
  leftAlone: { path: string; reason: string }[];
  unreadable: { path: string; reason: string }[];
}

/** A state directory, or an archive of one. */
export interface StatesSource {
  path: string;
  /** The state directory: the same path, or the one of which this is an archive. */
  of: string;
  /** The states, one at a time. */
  read(): Iterable<ReadState>;
}

/** A database that was found, or a schema in PostgreSQL. */
export interface ReadableDatabase {
  /** Path, or the address of a server without its password, with the name of the schema unless it is `perdura`. */
  path: string;
  /** Size in bytes; null for a server. */
  bytes: number | null;
  /**
   * Opens the database, in the state of one moment. Nothing is written, not even next to the file: a database that
   * could not be read without is copied first, unless another process has it open.
   *
   * @param use Reads from the database, which is closed afterwards.
   * @throws StorageError, CorruptDataError if it cannot be read.
   */
  read<Result>(use: (database: SourceDatabase) => Result | Promise<Result>): Promise<Result>;
}

/** Settings of {@link readData}. */
export interface ReadOptions extends Pick<CommonOptions, "busyTimeoutMs"> {
  /** Receives the progress while the rows of a large database without sums are read. */
  onProgress?: ((event: ProgressEvent) => void) | undefined;
  /** The only schema to read in PostgreSQL; by default all schemas with tables of perdura. */
  schema?: string | undefined;
}

/**
 * Finds data and reads it. Cannot write.
 *
 * @param targets A file, a state directory, a directory that contains either, or an address that begins `postgres://`;
 *   or several.
 * @param use Reads what was found; the databases cannot be read any more when it has ended.
 * @throws FileNotFoundError for a target that does not exist, or a server without tables of perdura; ValidationError for
 *   a wrong argument; MissingPackageError if the packages for PostgreSQL are not installed; StorageError if the server
 *   cannot be reached.
 * @example
 * ```ts
 * const users = await readData("./data", {}, async ({ databases: [metrics] }) =>
 *   metrics?.read((source) => source.metrics?.statistics.users().length),
 * );
 * console.log(users); // 31
 * ```
 */
export async function readData<Result>(
  targets: string | readonly string[],
  options: ReadOptions,
  use: (found: FoundData) => Promise<Result>,
): Promise<Result> {
  assertNodeItself();
  const { paths, addresses } = readableTargets(targets);
  assertKnown("readData", options, ["schema", "busyTimeoutMs", "onProgress"]);
  const { schema, busyTimeoutMs, onProgress } = options;
  const run = new Session(settingsFrom({ busyTimeoutMs }));
  try {
    removeAbandonedCopies(run);
    const discovery: Pick<Discovery, Found> = paths.length === 0 ? NOTHING_FOUND : await discover(paths, run);
    const servers: FoundServer[] = [];
    for (const address of addresses)
      servers.push(await findInServer(address, { schema, busyTimeoutMs: run.settings.busyTimeoutMs }));
    const { archives, backups } = await ownFiles(discovery.own, run);
    const listed = new Set([...discovery.libraries, ...archives, ...backups.map(({ path }) => path)]);
    const read = readableBackups(discovery, archives, backups, paths);
    return await use({
      targets: [...paths, ...servers.map(({ place }) => place)],
      databases: [
        ...discovery.databases.map((found): ReadableDatabase => ({
          path: found.path,
          bytes: found.bytes,
          read: (task) =>
            readingOf(found.path, () =>
              whileReading(found, run, (database) => task(sourceOf(database, found, onProgress)), true),
            ),
        })),
        ...read
          .filter(({ isDatabase }) => isDatabase)
          .map(({ path }): ReadableDatabase => ({
            path,
            bytes: lstatSync(path).size,
            read: (task) => readingOf(path, () => readDatabase(path, run, task, onProgress)),
          })),
        ...servers.flatMap(({ databases }) => databases),
      ],
      libraries: [...discovery.libraries, ...read.filter(({ isDatabase }) => !isDatabase).map(({ path }) => path)],
      stateDirectories: discovery.stateDirectories.map((path) => ({ path, of: path, read: () => statesIn(path) })),
      archives: archives.map((path) => ({ path, of: directoryOfArchive(path), read: () => statesOfArchive(path) })),
      backups: backups.map(({ path }) => ({ path, bytes: lstatSync(path).size, of: databaseOfBackup(path) })),
      leftAlone: discovery.leftAlone
        .filter(({ path }) => !listed.has(path))
        .map(({ path, reason }) => ({ path, reason })),
      unreadable: discovery.refused,
    });
  } finally {
    run[Symbol.dispose]();
  }
}

type Found = "databases" | "libraries" | "stateDirectories" | "leftAlone" | "refused" | "own";

const NOTHING_FOUND: Pick<Discovery, Found> = {
  databases: [],
  libraries: [],
  stateDirectories: [],
  leftAlone: [],
  refused: [],
  own: [],
};

/** Separates addresses from paths. Without addresses, {@link targetsFrom} reports wrong targets. */
function readableTargets(targets: string | readonly string[]): Record<"paths" | "addresses", readonly string[]> {
  const list = Array.isArray(targets) ? Array.from(targets as readonly unknown[]) : [targets];
  const isServer = (target: unknown): target is string => typeof target === "string" && isPostgresAddress(target);
  const addresses = list.filter(isServer);
  const others = list.filter((target) => !isServer(target));
  if (addresses.length > 0 && others.length === 0) return { paths: [], addresses };
  return { paths: targetsFrom(addresses.length === 0 ? targets : (others as string[])), addresses };
}

/** The archives and backups among files with such names, by their content. */
async function ownFiles(
  paths: readonly string[],
  run: Workers,
): Promise<{ archives: string[]; backups: FoundBackup[] }> {
  const found: { archives: string[]; backups: FoundBackup[] } = { archives: [], backups: [] };
  for (const { path, bytes } of await run.files.headers([...paths])) {
    const kind = ownKind(basename(path));
    if (bytes === null || (kind !== "archive" && kind !== "backup")) continue;
    const isDatabase = isDatabaseHeader(bytes);
    if (!isOwn[kind](path, isDatabase)) continue;
    if (kind === "archive") found.archives.push(path);
    else found.backups.push({ path, isDatabase });
  }
  return found;
}

/** A backup of a database, or of a library in JSON. */
interface FoundBackup {
  path: string;
  isDatabase: boolean;
}

/**
 * Backups to read like the data that they hold: those that the caller names, and the newest ones below targets that
 * contain nothing else. Next to other data a backup is only listed.
 */
function readableBackups(
  { databases, libraries, stateDirectories, refused }: Pick<Discovery, Found>,
  archives: readonly string[],
  backups: readonly FoundBackup[],
  targets: readonly string[],
): FoundBackup[] {
  const named = new Set(backups.length === 0 ? [] : targets.map(realPathOf));
  const isAlone =
    databases.length + libraries.length + stateDirectories.length + archives.length + refused.length === 0;
  const newest = new Map<string, FoundBackup>();
  for (const backup of backups) {
    const { of, number } = numberOfBackup(backup.path);
    if (number > numberOfBackup(newest.get(of)?.path ?? "").number) newest.set(of, backup);
  }
  return backups.filter((backup) => named.has(backup.path) || (isAlone && [...newest.values()].includes(backup)));
}

/** Reads one database, such as a backup, whatever its name. */
export async function readDatabase<Result>(
  path: string,
  run: HasSettings & Workers,
  use: (database: SourceDatabase) => Result | Promise<Result>,
  onProgress?: ReadOptions["onProgress"],
): Promise<Result> {
  const [header] = await run.files.headers([path]);
  const wal = header?.bytes?.[18] === 2 || header?.bytes?.[19] === 2;
  const found: FoundDatabase = { path, bytes: lstatSync(path).size, wal, refusal: null };
  return whileReading(found, run, (database) => use(sourceOf(database, found, onProgress)));
}

/** The states of a directory, one at a time. */
export function* statesIn(directory: string): Generator<ReadState, void, undefined> {
  const companion = directoryCompanion(directory);
  const files = readdirSync(directory, { encoding: "buffer", withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => nameFromBytes(entry.name))
    .filter((name) => name.endsWith(STATE_SUFFIX))
    .map((entry) => ({ entry, name: shownName(entry) }));
  for (const { entry, name } of files.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(directory, name);
    const bytes = stateBytes(pathBelow(directory, entry), path);
    const isReadable = Buffer.isBuffer(bytes);
    if (isReadable && isAppleDouble(name, bytes)) continue;
    const content = isReadable ? bytes : undefined;
    const user_id = shownName(userInDirectory(directory, entry, companion, () => content));
    if (!isReadable) {
      yield { user_id, ...noColumns(), path, status: "unreadable", reason: bytes.reason, content: null };
      continue;
    }
    const { columns, status, extra, reason } = readState(bytes, user_id, name);
    if (status === "ok") yield { user_id, ...columns, path, status: "valid", reason: null, content: extra };
    else yield { user_id, ...columns, path, status: "invalid", reason, content: hash("sha256", bytes, "hex") };
  }
}

/** The content of a state file, or the reason why it cannot be read. */
function stateBytes(file: string | Buffer, path: string): Buffer | PerduraErrorShape {
  try {
    // Reading a pipe would wait forever.
    if (!statSync(file).isFile()) return new StorageError("not a regular file.", { path });
    return readWhole(file);
  } catch (error) {
    const fault = storageErrorOf(error, path, "reading");
    if (!isPerduraError(fault)) throw fault;
    return fault;
  }
}

/** The states of an archive, one at a time. */
export function* statesOfArchive(archive: string): Generator<ReadState, void, undefined> {
  for (const state of listArchivedStates(archive)) {
    const { user_id, trust_level, current_level, target_level, interaction_count, success_count } = state;
    const { failure_count, last_interaction, created_at, status } = state;
    const counts = { interaction_count, success_count, failure_count };
    const fields = { trust_level, current_level, target_level, ...counts, last_interaction, created_at };
    const read = { user_id, ...fields, path: archive };
    if (status === "ok") yield { ...read, status: "valid", reason: null, content: state.extra };
    else yield { ...read, status: "invalid", reason: state.reason, content: state.sha256 };
  }
}

/** Names the database in errors of the file system, of SQLite, and of the search for what reading it would change. */
async function readingOf<Result>(path: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Stop)) throw storageErrorOf(error, path, "reading");
    if (error.status === "in_use") throw new BusyError(error.message, { path, cause: error });
    throw new StorageError(error.message, { path, cause: error });
  }
}

function sourceOf(database: Database, { path }: FoundDatabase, onProgress: ReadOptions["onProgress"]): SourceDatabase {
  const { catalog, layout } = recogniseDatabase(database);
  const [first, second] = [metricsTableOf(catalog, layout), secondTableOf(catalog, layout)];
  // The ids that a migration would give, so that the figures are the same before and after it.
  const idOffset = first === null || second === null ? 0 : planMerge(database, first, second, true).idOffset;
  const tables = [
    ...(first === null ? [] : [{ ...first, idOffset: 0 }]),
    ...(second === null ? [] : [{ ...second, idOffset }]),
  ];
  const patterns = hasPatterns(catalog);
  const found = {
    path,
    line: lineOf(layout.name, tables.length > 0, patterns),
    layout: layout.title,
    refusal: layout.treatment === "refuse" ? (layout.sentence ?? layout.title) : null,
    tables,
    hasPatterns: patterns,
  };
  const step = { event: "progress", path, stage: "inspect", detail: "reading the operations", unit: "rows" } as const;
  return sourceDatabase(database, found, ({ done, total }) => onProgress?.({ ...step, done, total }));
}

/** The line that reads the metrics; a pattern library without metrics is the same in both. */
function lineOf(layout: string, hasMetrics: boolean, patterns: boolean): SourceDatabase["line"] {
  if (layout === "documented-15") return "pre-16";
  return layout === "documented-16" || (patterns && !hasMetrics) ? "16+" : null;
}
