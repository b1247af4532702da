import { statSync } from "node:fs";
import type BetterSqlite3 from "better-sqlite3";

/** How many connections of this process each database file has, by device and inode. */
const connections = new Map<string, number>();

function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

/** True while a connection that {@link rememberConnection} knows has the file open. */
export function isOpenHere(path: string): boolean {
  return connections.has(identityOf(path) ?? "");
}

/** Notes that a connection has a file open, until it is closed. */
export function rememberConnection(database: BetterSqlite3.Database, path: string): void {
  const identity = identityOf(path);
  if (identity === undefined) return;
  connections.set(identity, (connections.get(identity) ?? 0) + 1);
  const close = database.close.bind(database);
  database.close = () => {
    if (database.open) forget(identity);
    return close();
  };
}

function forget(identity: string): void {
  const left = (connections.get(identity) ?? 1) - 1;
  if (left === 0) connections.delete(identity);
  else connections.set(identity, left);
}
