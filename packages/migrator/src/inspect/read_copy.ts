import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { isAbandoned, temporaryName } from "@perdura/internals/files/temporary_names.js";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../stop.ts";
import type { FileProcess } from "../child/file_process.ts";

/** A place from which a database can be read without a byte being written beside it. */
export interface ReadablePlace {
  path: string;
  remove: () => void;
}

/**
 * The database itself where reading leaves no trace. A database in WAL mode would get a `-shm` file beside it, and one
 * with a journal that a killed writer left could not be read at all: those are read from a private copy.
 */
export async function readablePlace(path: string, wal: boolean, files: FileProcess): Promise<ReadablePlace> {
  if (!wal && !holdsBytes(`${path}-journal`) && !holdsBytes(`${path}-wal`)) return { path, remove: () => undefined };
  const directory = privateDirectory();
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  try {
    // The database before its log: frames that a checkpoint moves meanwhile are then in the copied log as well.
    const still = await files.snapshot([path, `${path}-journal`, `${path}-wal`], directory);
    if (!still)
      throw new Stop("in_use", "Another process keeps writing to this database. Stop it, then run this command again.");
    return { path: join(directory, basename(path)), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** What private copies are called; the name tells whose they are. */
const COPY = "perdura-copy";

/** A directory that only this user can read. Those of runs that were killed go away with the next run. */
function privateDirectory(): string {
  const place = tmpdir();
  for (const name of readdirSync(place)) {
    if (name.startsWith(`.${COPY}.`) && isAbandoned(join(place, name)))
      rmSync(join(place, name), { recursive: true, force: true });
  }
  const directory = join(place, temporaryName(COPY, randomBytes(4).toString("hex")));
  mkdirSync(directory, { mode: 0o700 });
  return directory;
}

function holdsBytes(path: string): boolean {
  return existsSync(path) && statSync(path).size > 0;
}

/** Opens a readable place so that nothing can be written: `read` on the file itself, `query_only` on a copy. */
export function openReadable(place: ReadablePlace, original: string, busyTimeoutMs: number): Database {
  if (place.path === original) {
    const database = openDatabase(place.path, { access: "read", busyTimeoutMs });
    database.pragma("query_only = ON");
    return database;
  }
  return openDatabase(place.path, { access: "query", busyTimeoutMs });
}
