import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { hostname } from "node:os";

/** The ending of every temporary file that perdura makes. */
export const TEMPORARY_SUFFIX = ".perdura-tmp";

/** Names this machine (or container) inside a file name, for directories that several of them share. */
const host = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);

/** A hidden name beside `target` that says which process of which machine is writing it. At most 120 bytes. */
export function temporaryName(target: string, token: string): string {
  const hint = target.replace(/[^A-Za-z0-9._-]/g, "_").slice(0, 60);
  return `.${hint}.${host}-${process.pid}-${token}${TEMPORARY_SUFFIX}`;
}

/** After a day without a change nobody is still writing a file, on whichever machine. */
const FORGOTTEN_MS = 24 * 60 * 60 * 1000;

/**
 * True when nobody can still be writing a temporary file: its process is gone from this machine, or it has not changed
 * for a day. A process with the pid of an earlier one (each restart of a container has such) knows it by its age.
 *
 * @param name The temporary name, where the file at `path` is one that SQLite keeps beside it.
 */
export function isAbandoned(path: string, name: string = path): boolean {
  const match = /\.([0-9a-f]{8})-(\d+)-[0-9a-f]+\.perdura-tmp$/.exec(name);
  const modifiedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (match === null || modifiedMs === undefined) return false;
  if (Date.now() - modifiedMs > FORGOTTEN_MS) return true;
  if (match[1] !== host) return false;
  const pid = Number(match[2]);
  if (pid === process.pid) return modifiedMs < performance.timeOrigin;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // EPERM: it lives, and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
