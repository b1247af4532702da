import { readFileSync, readlinkSync, statSync } from "node:fs";
import { hostname } from "node:os";

/** Suffix of every temporary file that perdura creates. */
export const TEMPORARY_SUFFIX = ".perdura-tmp";

/** Suffix of an unfinished file that a later process may continue: no other program removes it. */
export const PART_SUFFIX = ".perdura-part";

let known: string | undefined;

/**
 * Identifies the system in which a process id is unique. Machines or containers that share a directory may also share a
 * host name, so Linux adds its process namespace and its boot id.
 */
function processNamespace(): string {
  return (known ??= hex(checksum([hostname(), ...linuxNamespace()].join("\n"))));
}

/** FNV-1a with 32 bits. Loading `node:zlib` or `node:crypto` for one would take longer than most small tasks. */
function checksum(text: string): number {
  return Buffer.from(text).reduce((sum, byte) => Math.imul(sum ^ byte, 0x01000193), 0x811c9dc5) >>> 0;
}

function linuxNamespace(): string[] {
  if (process.platform !== "linux") return [];
  try {
    return [readlinkSync("/proc/self/ns/pid"), readFileSync("/proc/sys/kernel/random/boot_id", "utf8")];
  } catch {
    // Without /proc, only the host name identifies the system.
    return [];
  }
}

/** The eight digits of a number of 32 bits. */
function hex(number: number): string {
  return number.toString(16).padStart(8, "0");
}

/**
 * A hidden name next to `target` that identifies the writing process and its machine. At most 120 bytes.
 *
 * @param token Distinguishes the files of a process; a random number by default.
 */
export function temporaryName(
  target: string,
  token: string = hex(Math.floor(Math.random() * 2 ** 32)),
  suffix: typeof TEMPORARY_SUFFIX | typeof PART_SUFFIX = TEMPORARY_SUFFIX,
): string {
  const hint = target.replace(/[^A-Za-z0-9._-]/g, "_").slice(0, 60);
  return `.${hint}.${processNamespace()}-${process.pid}-${token}${suffix}`;
}

const ENDING = /\.([0-9a-f]{8})-(\d+)-[0-9a-f]+\.perdura-(?:tmp|part)$/;

/** The process id in the name of a file that its process has left to the next one; no process has it. */
const RELEASED = "0";

/** The name of a part that its process leaves to the next one, although it goes on running. */
export function releasedName(name: string): string {
  return name.replace(ENDING, `.00000000-${RELEASED}-0${PART_SUFFIX}`);
}

/** True for a complete name as {@link temporaryName} returns it. A foreign file may only have the same suffix. */
export function isTemporaryName(name: string): boolean {
  return name.startsWith(".") && ENDING.test(name);
}

/** Age after which a temporary file without changes counts as abandoned, whichever machine wrote it. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;

/**
 * True if no process can still be writing a temporary file: its process has ended on this machine, or the file has not
 * changed for a day. If a new process has the process id of the old one, as after each restart of a container, the age
 * of the file decides.
 *
 * @param name The temporary name, if the file at `path` is one that SQLite keeps next to it.
 */
export function isAbandoned(path: string, name: string = path): boolean {
  const match = ENDING.exec(name);
  if (match === null) return false;
  if (match[2] === RELEASED) return true;
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  // The modification time of a directory can be set by a program and is kept by a rename; its change time cannot be
  // set.
  const modifiedMs = found.isDirectory() ? found.ctimeMs : found.mtimeMs;
  if (Date.now() - modifiedMs > ABANDONED_AFTER_MS) return true;
  if (match[1] !== processNamespace()) return false;
  const pid = Number(match[2]);
  if (pid === process.pid) return modifiedMs < performance.timeOrigin;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
