import { createHash } from "node:crypto";
import { readFileSync, readlinkSync, statSync } from "node:fs";
import { hostname } from "node:os";

/** The ending of every temporary file that perdura makes. */
export const TEMPORARY_SUFFIX = ".perdura-tmp";

/**
 * Names the world in which a process id means something: machines (or containers) that share a directory may share a
 * host name too, so Linux adds its process namespace and the boot.
 */
const world = createHash("sha256")
  .update([hostname(), ...linuxWorld()].join("\n"))
  .digest("hex")
  .slice(0, 8);

function linuxWorld(): string[] {
  if (process.platform !== "linux") return [];
  try {
    return [readlinkSync("/proc/self/ns/pid"), readFileSync("/proc/sys/kernel/random/boot_id", "utf8")];
  } catch {
    // Without /proc the host name has to do.
    return [];
  }
}

/** A hidden name beside `target` that says which process of which machine is writing it. At most 120 bytes. */
export function temporaryName(target: string, token: string): string {
  const hint = target.replace(/[^A-Za-z0-9._-]/g, "_").slice(0, 60);
  return `.${hint}.${world}-${process.pid}-${token}${TEMPORARY_SUFFIX}`;
}

const ENDING = /\.([0-9a-f]{8})-(\d+)-[0-9a-f]+\.perdura-tmp$/;

/** True for a whole name as {@link temporaryName} makes it; a file of somebody else may merely end like one. */
export function isTemporaryName(name: string): boolean {
  return name.startsWith(".") && ENDING.test(name);
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
  const match = ENDING.exec(name);
  if (match === null) return false;
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  // A directory can be given the time of another one, or keep its own under a new name; this one it cannot be given.
  const modifiedMs = found.isDirectory() ? found.ctimeMs : found.mtimeMs;
  if (Date.now() - modifiedMs > FORGOTTEN_MS) return true;
  if (match[1] !== world) return false;
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
