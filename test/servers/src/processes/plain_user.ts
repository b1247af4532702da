import { readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";

/** User that a server runs as. */
export interface User {
  uid: number;
  gid: number;
}

/**
 * The user that runs servers if we are the superuser, as which PostgreSQL and PgBouncer refuse to run: `nobody`.
 *
 * @returns Undefined if we are a plain user, which runs servers itself.
 */
export function plainUser(): User | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  // PostgreSQL looks up the name of its user, so the machine must know it.
  const [, uid, gid] = /^nobody:[^:]*:(-?\d+):(-?\d+):/m.exec(readFileSync("/etc/passwd", "utf8")) ?? [];
  if (uid === undefined || gid === undefined)
    throw new Error(
      "/etc/passwd: the user “nobody” is missing; servers run as this user because they refuse to run as root",
    );
  return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
}

/** A directory for temporary files that the user of the servers can reach as well as we can. */
export function temporaryPlace(): string {
  if (plainUser() === undefined) return tmpdir();
  const places = [tmpdir(), "/tmp", "/var/tmp"];
  const place = places.find(reachable);
  if (place === undefined)
    throw new Error(`none of ${places.join(", ")} is accessible to all users: set TMPDIR to a directory that is`);
  return place;
}

/** True if every user can reach a path; its own permissions are not checked. */
export function reachable(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.mode & 0o001) === 0) return false;
  return dirname(path) === path || reachable(dirname(path));
}
