import { readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";

/** Who a server runs as. */
export interface User {
  uid: number;
  gid: number;
}

/**
 * Whom servers run as when we are the superuser, as whom PostgreSQL and PgBouncer refuse to run: `nobody`.
 *
 * @returns Undefined where we are a plain user, and servers run as ourselves.
 */
export function plainUser(): User | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  // PostgreSQL asks for the name of its user, so it must be one that the machine knows.
  const [, uid, gid] = /^nobody:[^:]*:(-?\d+):(-?\d+):/m.exec(readFileSync("/etc/passwd", "utf8")) ?? [];
  if (uid === undefined || gid === undefined)
    throw new Error("/etc/passwd: no user nobody found, expected one to run servers as: they refuse to run as root");
  return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
}

/** A directory for temporary files that the user of the servers can reach as well as we. */
export function temporaryPlace(): string {
  if (plainUser() === undefined) return tmpdir();
  const places = [tmpdir(), "/tmp", "/var/tmp"];
  const place = places.find(reachable);
  if (place === undefined)
    throw new Error(`none of ${places.join(", ")} can be reached by all users: set TMPDIR to a directory that can`);
  return place;
}

/** Whether every user can come to a path; what he may do there is another question. */
export function reachable(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.mode & 0o001) === 0) return false;
  return dirname(path) === path || reachable(dirname(path));
}
