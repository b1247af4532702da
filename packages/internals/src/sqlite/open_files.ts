import { fstatSync, statSync } from "node:fs";
import type BetterSqlite3 from "better-sqlite3";

/**
 * Connections of this process, by device and inode of their files. The references are weak: the garbage collector
 * closes a connection that was dropped without being closed, and its inode may then belong to another file.
 */
const connections = new Map<string, Set<WeakRef<BetterSqlite3.Database>>>();

/** @param file A path, or a descriptor. */
function identityOf(file: string | number): string | undefined {
  const found =
    typeof file === "number"
      ? fstatSync(file, { bigint: true })
      : statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

/**
 * True while a connection that was passed to {@link rememberConnection} has the file open.
 *
 * @param file A path, or a descriptor.
 */
export function isOpenInProcess(file: string | number): boolean {
  const identity = identityOf(file);
  const known = identity === undefined ? undefined : connections.get(identity);
  return known !== undefined && [...known].some((connection) => connection.deref()?.open === true);
}

/** Remembers that a connection has a file open, until it is closed. */
export function rememberConnection(database: BetterSqlite3.Database, path: string): void {
  const identity = identityOf(path);
  if (identity === undefined) return;
  const known = connections.get(identity) ?? new Set();
  const connection = new WeakRef(database);
  connections.set(identity, known.add(connection));
  abandoned.register(database, { identity, connection });
  const close = database.close.bind(database);
  database.close = () => {
    const closed = close();
    forget({ identity, connection });
    return closed;
  };
}

interface Remembered {
  identity: string;
  connection: WeakRef<BetterSqlite3.Database>;
}

/**
 * Removes collected connections, so that the map does not grow. It gets plain data, because a closure would keep the
 * connection alive.
 */
const abandoned = new FinalizationRegistry<Remembered>(forget);

function forget({ identity, connection }: Remembered): void {
  const known = connections.get(identity);
  known?.delete(connection);
  if (known?.size === 0) connections.delete(identity);
}
