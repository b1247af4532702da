import type { Database } from "./open_database.ts";

/** SQLite's number for the setting with which only checkpoints wait for the disk. */
const NORMAL = 1;

/**
 * Lets a transaction end in the write-ahead log without a wait for the disk, so that other writers do not wait for it
 * either. A power cut may take it, and no transaction before it that waited. The setting is only changed meanwhile, because
 * rows that are recorded next have to wait. A rollback journal needs the wait.
 */
export function withoutSync<Result>(database: Database, transaction: () => Result): Result {
  const setting = (name: string): unknown => database.prepare(`PRAGMA ${name}`).pluck().get();
  const synchronous = setting("synchronous") as number;
  if (synchronous <= NORMAL || setting("journal_mode") !== "wal") return transaction();
  database.exec(`PRAGMA synchronous = ${NORMAL}`);
  try {
    return transaction();
  } finally {
    database.exec(`PRAGMA synchronous = ${synchronous}`);
  }
}

/** Waits until everything that the connection has stored is on the disk. */
export function syncStored(database: Database): void {
  // A commit writes at least a page, and waits for all before it.
  database.exec(`PRAGMA user_version = ${database.pragma("user_version", { simple: true }) as number}`);
}
