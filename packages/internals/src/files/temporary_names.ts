import { createHash } from "node:crypto";
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

/** True when the temporary file was made on this machine by a process that no longer lives. */
export function isAbandoned(name: string): boolean {
  const match = /\.([0-9a-f]{8})-(\d+)-[0-9a-f]+\.perdura-tmp$/.exec(name);
  if (match === null || match[1] !== host) return false;
  try {
    process.kill(Number(match[2]), 0);
    return false;
  } catch (error) {
    // EPERM: it lives, and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
