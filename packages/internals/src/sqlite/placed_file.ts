import { existsSync, lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { StorageError } from "../errors/errors.ts";
import { CLOSING_DROPS_LOCKS, descriptorsOf } from "../files/open_files.ts";
import { type Database, openDatabase } from "./open_database.ts";
import { WatchedDirectory } from "./watched_directory.ts";
import { monotonicMs } from "../runtime/monotonic.ts";

/**
 * Time after which a file is also checked before a write, in milliseconds: another SQLite cannot open and close the
 * database in less.
 */
const RECENT_MS = 0.05;

/** Files of a connection at the time of a check. */
interface Seen {
  path: string;
  /** True if a symbolic link at the path led to the file. */
  isLinked: boolean;
  ino: number;
  dev: number;
}

/**
 * The file of an open connection, and the path at which other programs find it. If the file or its log is replaced or
 * removed, SQLite continues to write to the files that it has open, and the rows are lost when the process ends (ruling
 * U-acknowledged). The log is also removed by another copy of SQLite in this process, such as `node:sqlite`: when that
 * closes the database, the operating system drops the locks of all copies.
 *
 * Windows does not allow to remove or replace an open file.
 */
export class PlacedFile {
  readonly #database: Database;
  readonly #path: string;
  readonly #files: Seen[];
  readonly #directory: WatchedDirectory | undefined;
  #checked = 0;

  constructor(database: Database, path: string) {
    this.#database = database;
    this.#path = path;
    this.#files = isWatched(path) ? filesOf(database, path) : [];
    const [file] = this.#files;
    // The file of a symbolic link, and the log, are in another directory.
    this.#directory = file === undefined || file.isLinked ? undefined : new WatchedDirectory(dirname(file.path));
  }

  /** False if the connection has other files open than those that other programs find at the path. */
  isInPlace(): boolean {
    return this.#displaced() === undefined;
  }

  /**
   * Checks the path before a write, unless that was done immediately before.
   *
   * @throws StorageError if the path has another file, or none. Nothing was written.
   */
  assertBefore(): void {
    if (monotonicMs() - this.#checked > RECENT_MS) this.#assertInPlace(false);
  }

  /** @throws StorageError if the path has another file, or none: other programs do not find what was written. */
  assertAfter(): void {
    this.#assertInPlace(true);
    this.#checked = monotonicMs();
  }

  /**
   * Closes the connection. If its file or log is lost, SQLite would move the old log into the database, over what other
   * programs have written since. It does so only if no other connection reads the database, so one does meanwhile.
   */
  close(): void {
    const guard = this.isInPlace() ? undefined : openGuard(this.#path);
    this.#database.close();
    guard?.close();
  }

  #assertInPlace(isWritten: boolean): void {
    const displaced = this.#displaced();
    if (displaced !== undefined) throw this.#error(displaced, isWritten);
  }

  /** The first file that is not at its path any more. */
  #displaced(): string | undefined {
    if (this.#directory?.isUnchanged() === true) return undefined;
    // Read before the files: a change after that is found the next time.
    this.#directory?.look();
    for (const file of this.#files) {
      const found = statIfAllowed(file);
      if (found === "unknown") continue;
      if (found !== undefined && found.ino === file.ino && found.dev === file.dev) continue;
      if (found !== undefined && !isOpenAs(file)) {
        // The file system has given the same file another number.
        Object.assign(file, { ino: found.ino, dev: found.dev });
        continue;
      }
      // The directory may not change again, but the file is not there.
      this.#directory?.forget();
      return file.path;
    }
    return undefined;
  }

  #error(path: string, isWritten: boolean): StorageError {
    const what = path.endsWith("-wal") ? `its log ${basename(path)}` : "the file";
    const how = existsSync(path) ? "was replaced" : "was moved away or removed";
    const fate = isWritten ? "The last rows are not in the file at this path." : "Nothing was written.";
    return new StorageError(
      `${what} ${how} while this program had the database open. ${fate} Open the database again, and repeat the operation.`,
      { path: this.#path, mayBeWritten: isWritten },
    );
  }
}

function isWatched(path: string): boolean {
  return path !== ":memory:" && CLOSING_DROPS_LOCKS;
}

/** The database and, if it uses one, its write-ahead log, which is next to the file itself, not next to a link to it. */
function filesOf(database: Database, path: string): Seen[] {
  // An absolute path, because the program may change its working directory.
  const whole = resolve(path);
  const file = see(whole, lstatSync(whole));
  if (database.pragma("journal_mode", { simple: true }) !== "wal") return [file];
  const log = `${file.isLinked ? realpathSync(whole) : whole}-wal`;
  const found = lstatSync(log, { throwIfNoEntry: false });
  // SQLite creates the log at the first read.
  if (found === undefined) database.prepare("SELECT count(*) FROM sqlite_schema").get();
  return [file, see(log, found ?? lstatSync(log))];
}

/**
 * Undefined for a missing file. A program that has given up rights since it opened the database may not see the path any
 * more; that does not mean that the file is lost.
 */
function statIfAllowed({ path, isLinked }: Seen): Stats | "unknown" | undefined {
  try {
    // A link at the path of the file makes other programs look for the log elsewhere, also if it leads to the same file.
    return isLinked ? statSync(path, { throwIfNoEntry: false }) : lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return "unknown";
  }
}

function see(path: string, found: Stats): Seen {
  const isLinked = found.isSymbolicLink();
  const { ino, dev } = isLinked ? statSync(path) : found;
  return { path, isLinked, ino, dev };
}

/** True if this process still has a file open under the number that was seen. */
function isOpenAs({ ino, dev }: Seen): boolean {
  return descriptorsOf({ ino: BigInt(ino), dev: BigInt(dev) })?.length !== 0;
}

/** Undefined if there is no readable database at the path. */
function openGuard(path: string): Database | undefined {
  try {
    const guard = openDatabase(path, { intent: "read", busyTimeoutMs: 0 });
    guard.exec("BEGIN");
    guard.prepare("SELECT count(*) FROM sqlite_schema").get();
    return guard;
  } catch {
    return undefined;
  }
}
