import { lstatSync, statfsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { StorageError } from "../errors/errors.ts";
import { removeAbandonedTemporaries } from "../files/abandoned_temporaries.ts";
import { removeAfterSuccess } from "../files/remove_temporary.ts";
import { passingReason } from "../files/system_reason.ts";
import { temporaryName } from "../files/temporary_names.ts";
import { type Database, openDatabase } from "./open_database.ts";

/**
 * Enables the write-ahead log, with which several processes may write while others read. If it cannot work, the
 * database keeps its rollback journal, and a process warning reports it: the journal is as safe, but slower.
 *
 * SQLite itself would notice only after it had marked the database as one with a write-ahead log. On such a file system
 * no process could open the database any more.
 */
export function useWriteAheadLog(database: Database, path: string): void {
  if (database.pragma("journal_mode", { simple: true }) !== "delete") return;
  const obstacle = obstacleTo(path);
  if (obstacle === undefined) return void database.pragma("journal_mode = WAL");
  process.emitWarning(
    `${path}: ${obstacle}, so a rollback journal is used instead. It is as safe, but slower, and readers and writers wait for each other.`,
    { type: "PerduraWarning", code: "PERDURA_NO_WRITE_AHEAD_LOG" },
  );
}

/** The reason why a write-ahead log cannot work for a database; undefined if it can. */
function obstacleTo(path: string): string | undefined {
  for (const suffix of ["-wal", "-shm"]) {
    if (lstatSync(`${path}${suffix}`, { throwIfNoEntry: false })?.isFile() === false)
      return `${basename(path)}${suffix} is not a regular file, but a write-ahead log needs that name`;
  }
  const directory = dirname(path);
  // Here, and not only before a trial: another database of this process may have had it.
  removeAbandonedTemporaries(directory);
  const network = NETWORKS.get(statfsSync(directory).type);
  if (network !== undefined) return `a write-ahead log needs shared memory, which ${network} does not support`;
  return trialIn(directory, basename(path));
}

/** Results of trials, by the number of the file system. One trial per process and file system is enough. */
const trialResults = new Map<number, string | undefined>();

function trialIn(directory: string, name: string): string | undefined {
  const { dev } = statSync(directory);
  if (!trialResults.has(dev)) trialResults.set(dev, faultOfTrial(directory, name));
  return trialResults.get(dev);
}

/**
 * Network file systems, by their numbers on Linux. SQLite's documentation excludes write-ahead logs there, because the
 * processes may run on several machines.
 */
const NETWORKS = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB"],
  [0xff534d42, "SMB"],
  [0x01021997, "9P"],
  [0x5346414f, "AFS"],
  [0x73757245, "Coda"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
]);

/**
 * Tries a write-ahead log with a temporary database.
 *
 * @throws StorageError for a reason that passes: the next database may get a log.
 */
function faultOfTrial(directory: string, name: string): string | undefined {
  const path = join(directory, temporaryName(name));
  let database: Database | undefined;
  try {
    database = openDatabase(path, { intent: "record" });
    // The database is removed at once, so syncing is not needed.
    database.pragma("synchronous = OFF");
    database.pragma("journal_mode = WAL");
    database.exec("CREATE TABLE trial (id)");
    return undefined;
  } catch (error) {
    const passing = passingReason(join(directory, name));
    if (passing !== undefined)
      throw new StorageError(`opening failed: ${passing}. No stored data was changed.`, {
        path: join(directory, name),
        cause: error,
      });
    const { code, message, cause } = error as { code?: string; message?: string; cause?: { code?: string } };
    const reason = cause?.code ?? code ?? message;
    return `the file system does not support a write-ahead log (${reason})`;
  } finally {
    closeQuietly(database);
    for (const suffix of ["", "-wal", "-shm", "-journal"]) removeAfterSuccess(`${path}${suffix}`);
  }
}

/**
 * Closes the connection. Closing moves the log into the database, which may fail for the reason that was already found.
 */
function closeQuietly(database: Database | undefined): void {
  try {
    database?.close();
  } catch {
    // The files of the trial are removed in any case.
  }
}
